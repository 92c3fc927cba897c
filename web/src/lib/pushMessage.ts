/** A notification as the server sends it. Whatever comes, it leads to a page of this app alone. */
export interface PushMessage {
  title: string;
  text: string;
  path: string;
  /** Notifications with the same tag take each other's place. */
  tag: string;
}

const NOTHING: PushMessage = { title: 'Tertulia', text: '', path: '/', tag: 'tertulia' };

/** Read a message; a browser wants to show something for each that comes, also for one that says nothing. */
export function readPushMessage(data: string | undefined): PushMessage {
  let told: unknown;
  try {
    told = JSON.parse(data ?? 'null');
  } catch {
    return NOTHING;
  }
  if (typeof told !== 'object' || told === null) return NOTHING;
  const text = (name: keyof PushMessage): string => {
    const value = (told as Record<string, unknown>)[name];
    return typeof value === 'string' && value ? value : NOTHING[name];
  };
  return { title: text('title'), text: text('text'), path: safePath(text('path')), tag: text('tag') };
}

/** A path of this app; anything else leads to its first page. */
export const safePath = (path: string): string => (/^\/(?![/\\])[^\s\\]*$/.test(path) ? path : '/');
