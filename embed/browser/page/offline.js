// Keeps the page for when there is no network. What the network has comes first, so a newer page is never hidden.

const CACHE = "lro";
const FILES = ["./", "styles.css", "table.css", "icon.svg", "page.js", "worker.js", "lro.wasm", "sample.json"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const isOurs = event.request.method === "GET" && new URL(event.request.url).origin === location.origin;
  if (isOurs) event.respondWith(answered(event.request));
});

async function answered(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
