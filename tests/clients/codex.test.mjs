import { suite } from './cases.mjs';
import { codex } from './codex.mjs';

suite(codex);
