import { suite } from './cases.mjs';
import { byPlugin, claude } from './claude.mjs';

suite(claude, { plugin: byPlugin });
