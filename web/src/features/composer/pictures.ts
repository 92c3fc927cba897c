/** Pictures that go with a message: read from files, checked before they travel. */
import { words } from './texts';

export interface Picture {
  readonly id: string;
  readonly name: string;
  /** The bytes in base64. */
  readonly data: string;
}

export const LARGEST = 5_000_000;
export const MOST_PICTURES = 8;
export const KINDS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** How each kind of picture begins, in base64. */
const BEGINNINGS: Record<string, string> = {
  iVBORw0KGgo: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
};

/** What kind of picture the bytes really are; null when they are none. */
export function kindOf(data: string): string | null {
  return Object.entries(BEGINNINGS).find(([start]) => data.startsWith(start))?.[1] ?? null;
}

/** A picture as the page can show it, without asking anyone. */
export const shown = (picture: Picture): string =>
  `data:${kindOf(picture.data) ?? 'image/png'};base64,${picture.data}`;

/** Say why a file cannot go along; null when it can. */
export function objection(file: Pick<File, 'name' | 'size' | 'type'>, already: number): string | null {
  if (already >= MOST_PICTURES) return words.tooMany;
  if (!KINDS.includes(file.type)) return words.notAPicture(file.name);
  return file.size > LARGEST ? words.tooLarge(file.name) : null;
}

/** Read a file as base64. */
export function contentOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(new Error(words.unreadable(file.name)));
    reader.readAsDataURL(file);
  });
}
