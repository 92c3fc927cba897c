/// <reference types="@sveltejs/kit" />
/// <reference no-default-lib="true"/>
/// <reference lib="esnext" />
/// <reference lib="webworker" />
/**
 * Lets the app start without a network: keeps the page and its built files.
 *
 * Built files carry their hash in their name, so a kept one is never old. The page is asked for anew
 * whenever the server answers, so an update is there at the next load. What the server says through
 * its API is never kept. Files of another version go when no tab uses them any more.
 *
 * Also finishes deletions that are too large for the browser to finish without their page, and shows
 * reminders while no page is open.
 */
import { isDeletionRequest } from '$api/keepalive';
import { readPushMessage, safePath } from '$lib/pushMessage';
import { build } from '$service-worker';

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const CACHE_NAME = 'tertulia';
const PAGE = '/';
const HASHED = '/_app/immutable/';
const ICONS = ['/icon.svg', '/manifest.webmanifest'];
/** Paths that programs ask for: what they answer is nobody's page. */
const API_PATHS = /^\/(api|v1|_app|health|ready)(\/|$)/;

const LINKED = /"(\/_app\/immutable\/[^"]+)"/g;
/** Imports that are not on demand: those have a bracket before the name. */
const IMPORTED = /(?:from|import)\s*["'](\.[^"']+\.js)["']/g;

worker.addEventListener('install', (event) => event.waitUntil(keepFirst()));
worker.addEventListener('activate', (event) => event.waitUntil(tidy()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== worker.location.origin) return;
  if (isDeletionRequest(url.pathname, request.method) && !request.keepalive) return finish(event);
  if (request.method !== 'GET') return;
  if (url.pathname.startsWith(HASHED)) event.respondWith(kept(request));
  else if (ICONS.includes(url.pathname)) event.respondWith(newest(request, url.pathname));
  else if (request.mode === 'navigate' && !API_PATHS.test(url.pathname))
    event.respondWith(newest(request, PAGE));
});

worker.addEventListener('push', (event) => event.waitUntil(show(event.data?.text())));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(String(event.notification.data ?? '/')));
});

/** Show a reminder; nothing of it is kept. */
async function show(data: string | undefined): Promise<void> {
  const { title, text, path, tag } = readPushMessage(data);
  await worker.registration.showNotification(title, { body: text, tag, data: path, icon: '/icon-192.png' });
}

/** Go to a page in a tab of the app that is open, or in a new one. */
async function openPage(path: string): Promise<void> {
  const [tab] = await worker.clients.matchAll({ type: 'window' });
  if (!tab) return void (await worker.clients.openWindow(safePath(path)));
  await tab.focus();
  await tab.navigate(safePath(path)).catch(() => worker.clients.openWindow(safePath(path)));
}

/** Answer a request, and go on with it although its page is closed meanwhile. */
function finish(event: FetchEvent): void {
  const answer = sendAnew(event.request);
  event.respondWith(answer);
  event.waitUntil(answer.catch(() => undefined));
}

/** Send a request that is the worker's own: the page's ends with the page. */
async function sendAnew(request: Request): Promise<Response> {
  const { url, method, headers } = request;
  return fetch(url, { method, headers, body: await request.text() });
}

/** Keep the page and what its screens cannot do without; what they fetch on demand is kept once it was. */
async function keepFirst(): Promise<void> {
  const cache = await caches.open(CACHE_NAME);
  const page = await fetch(PAGE, { cache: 'no-cache' });
  const linked = [...(await page.clone().text()).matchAll(LINKED)].map(([, path]) => path ?? PAGE);
  await cache.put(PAGE, page);
  await cache.addAll(ICONS);
  const screens = build.filter((path) => path.includes('/nodes/') || path.endsWith('.css'));
  let wanted = new Set([...linked, ...screens]);
  const seen = new Set<string>();
  while (wanted.size) {
    wanted.forEach((path) => seen.add(path));
    const imported = (await Promise.all([...wanted].map((path) => keepOne(cache, path)))).flat();
    wanted = new Set(imported.filter((path) => !seen.has(path)));
  }
}

/** Keep a built file, and return the files that it cannot run without. */
async function keepOne(cache: Cache, path: string): Promise<string[]> {
  const file = await fetch(path);
  if (!file.ok) throw new Error(`${path} is not there.`);
  await cache.put(path, file.clone());
  if (!path.endsWith('.js')) return [];
  const found = (await file.text()).matchAll(IMPORTED);
  return [...found].map(([, name]) => new URL(name ?? '', new URL(path, worker.location.origin)).pathname);
}

async function tidy(): Promise<void> {
  const cache = await caches.open(CACHE_NAME);
  const known = new Set([PAGE, ...ICONS, ...build]);
  const old = (await cache.keys()).filter(({ url }) => !known.has(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
  await worker.clients.claim();
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE_NAME);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

async function newest(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(CACHE_NAME);
  const answer = await fetch(request).catch(() => null);
  if (answer?.ok && !answer.redirected) await cache.put(name, answer.clone());
  // A proxy says in the server's place that it is gone.
  if (answer && answer.status < 500) return answer;
  return (await cache.match(name)) ?? answer ?? Response.error();
}
