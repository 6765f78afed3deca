import { suite } from './cases.mjs';
import { byHand, codex } from './codex.mjs';

suite(codex, { 'by hand': byHand });
