import { suite } from './cases.mjs';
import { opencode } from './opencode.mjs';

suite(opencode);
