/** Pictures that go with a message: read from files, made smaller where they are too large. */
import { words } from './texts';

export interface Picture {
  readonly id: string;
  readonly name: string;
  /** The bytes in base64. */
  readonly data: string;
}

export const PICTURE_MAX_BYTES = 5_000_000;
export const MESSAGE_MAX_PICTURES = 8;
export const PICTURE_MIME_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** How each kind of picture begins, in base64. */
const MIME_TYPE_BY_PREFIX: Record<string, string> = {
  iVBORw0KGgo: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
};

/** What kind of picture the bytes really are; null when they are none. */
export function detectMimeType(data: string): string | null {
  return Object.entries(MIME_TYPE_BY_PREFIX).find(([start]) => data.startsWith(start))?.[1] ?? null;
}

/** A picture as the page can show it, without asking anyone. */
export const pictureDataUrl = (picture: Picture): string =>
  `data:${detectMimeType(picture.data) ?? 'image/png'};base64,${picture.data}`;

/** Models see no more of a picture than this, in pixels of its longer side. */
const PICTURE_MAX_SIDE_PX = 2048;

/** Tell whether a file goes along as it is. */
export const isSendableAsIs = ({ type, size }: Pick<File, 'size' | 'type'>): boolean =>
  PICTURE_MIME_TYPES.includes(type) && size <= PICTURE_MAX_BYTES;

/** Return a picture that can go along, made smaller if need be; null where the browser sees no picture. */
export async function fitPicture(file: File): Promise<Blob | null> {
  if (isSendableAsIs(file)) return file;
  // Drawings are text, and may ask for things from elsewhere.
  if (!file.type.startsWith('image/') || file.type === 'image/svg+xml') return null;
  try {
    return await smaller(await createImageBitmap(file));
  } catch {
    return null;
  }
}

async function smaller(picture: ImageBitmap): Promise<Blob | null> {
  const scale = Math.min(1, PICTURE_MAX_SIDE_PX / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const page = canvas.getContext('2d');
  if (!page) return null;
  // What is seen through would be black.
  page.fillStyle = 'white';
  page.fillRect(0, 0, canvas.width, canvas.height);
  page.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85));
}

/** Read a picture as base64. */
export function readAsBase64(file: Blob, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(new Error(words.unreadable(name)));
    reader.readAsDataURL(file);
  });
}
