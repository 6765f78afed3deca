import { suite } from './cases.mjs';
import { byExtension, gemini } from './gemini.mjs';

suite(gemini, { extension: byExtension });
