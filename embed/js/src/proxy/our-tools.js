// The names of our tools, which give way to those of the server until the client knows them.

import { Failure } from "../command/failure.js";
import { remark } from "../command/output.js";
import { elements, members, parsed, textAt } from "./json-text.js";

/** A server has few tools with such names by chance, never a hundred. */
const MOST_PREFIXES = 100;

/** What the names of our tools end with, whatever their prefix is. */
const ENDINGS = ["describe", "extract", "read", "search", "artifact_jq", "artifact_grep", "large_output"];

/** True for a tool that is ours, or may be while the component that knows their names is not open. */
export function mayBeOurs(tool) {
  return ENDINGS.some((ending) => tool.endsWith(ending));
}

export class OurTools {
  #isAnnounced = false;

  static async of(lro) {
    const ours = new OurTools();
    await ours.#use(lro);
    return ours;
  }

  async #use(lro) {
    this.lro = lro;
    this.names = (await lro.mcpTools()).map(({ name }) => name);
  }

  /** The client knows the names of our tools now. */
  announce() {
    this.#isAnnounced = true;
  }

  /**
   * Returns the list, the bytes of a result, without the server's tools that have a name of ours, if it is to be used. Before
   * the client knows our names, ours get another prefix instead: a server's tools keep theirs, because its clients may know
   * them.
   */
  async makeWay(list) {
    const listed = namesIn(list);
    const taken = this.names.find((name) => listed.includes(name));
    if (taken === undefined) return list;
    if (this.#isAnnounced) {
      remark(`the server's tool \`${taken}\` is left out of its list: ours had the name before`);
      return without(list, this.names) ?? list;
    }
    await this.#rename(listed);
    remark(`the server has a tool \`${taken}\` of its own; ours are called: ${this.names.join(", ")}`);
    return list;
  }

  async #rename(listed) {
    for (let turn = 1; turn < MOST_PREFIXES; turn++) {
      await this.#use(await this.lro.with({ toolPrefix: turn === 1 ? "lro_local_" : `lro_local_${turn}_` }));
      if (!this.names.some((name) => listed.includes(name))) return;
    }
    throw new Failure("other", "the server has tools with all names that ours may have");
  }
}

/** The names of the tools in a list. */
export function namesIn(list) {
  const { tools } = parsed(list.toString()) ?? {};
  return Array.isArray(tools) ? tools.map((tool) => tool?.name).filter((name) => typeof name === "string") : [];
}

/** The list without tools of these names. Other tools keep their bytes. */
function without(list, names) {
  const place = members(list)?.get("tools");
  const tools = place && elements(list, place);
  if (!tools) return undefined;
  const isKept = (tool) => {
    const name = members(list, tool)?.get("name");
    return !(name && names.includes(parsed(textAt(list, name))));
  };
  const kept = tools.filter(isKept).map(([start, end]) => list.subarray(start, end));
  const joined = kept.flatMap((tool, i) => (i === 0 ? [tool] : [Buffer.from(","), tool]));
  return Buffer.concat([list.subarray(0, place[0]), Buffer.from("["), ...joined, Buffer.from("]"), list.subarray(place[1])]);
}
