import { suite } from './cases.mjs';
import { byPlugin, opencode } from './opencode.mjs';

suite(opencode, { plugin: byPlugin });
