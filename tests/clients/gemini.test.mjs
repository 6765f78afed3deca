import { suite } from './cases.mjs';
import { gemini } from './gemini.mjs';

suite(gemini);
