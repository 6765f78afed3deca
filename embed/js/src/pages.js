// Page after page of an extraction, as one list of results.

/** The request of the next page. `limit` and `maxBytes` of the first hold for all pages together. */
export class Pages {
  isOver = false;
  #hasResults = false;

  constructor(request) {
    this.request = { ...request };
  }

  /** The results of a page. What is left of the limits is asked for next. */
  add({ results, text, count, next }) {
    this.#hasResults ||= count > 0;
    this.request.next = next;
    this.isOver ||= next === undefined;
    this.#use("limit", count);
    this.#use("maxBytes", Buffer.byteLength(text));
    return results;
  }

  /** Not even one result may fit what is left of `maxBytes`. After other results that is the end, not an error. */
  end(error) {
    if (!this.#hasResults || error.limit !== "max_bytes") throw error;
    this.isOver = true;
  }

  #use(limit, used) {
    if (typeof this.request[limit] !== "number") return;
    this.request[limit] -= used;
    this.isOver ||= this.request[limit] <= 0;
  }
}

/** The results of all pages of an extraction. */
export async function* pagesOf(lro, request) {
  const pages = new Pages(request);
  while (!pages.isOver) {
    const page = await lro.extract(pages.request).catch((error) => pages.end(error));
    if (page) yield* pages.add(page);
  }
}
