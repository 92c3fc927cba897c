const PLACEHOLDER_ORIGIN = 'http://here.invalid';

/** Where to go after signing in: the path asked for when it is one of ours, else the start. */
export function safeRedirectPath(asked: string | null): string {
  if (!asked?.startsWith('/')) return '/';
  let url: URL;
  try {
    url = new URL(asked, PLACEHOLDER_ORIGIN);
  } catch {
    return '/';
  }
  // Browsers read two slashes as the start of another site's name, also after dots were resolved.
  if (url.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
