import { suite } from './cases.mjs';
import { claude } from './claude.mjs';

suite(claude);
