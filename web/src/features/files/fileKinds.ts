/** How kinds of files look, and their sizes as people read them. */
import FileIcon from '@lucide/svelte/icons/file';
import FileArchive from '@lucide/svelte/icons/file-archive';
import FileCode from '@lucide/svelte/icons/file-code';
import FileImage from '@lucide/svelte/icons/file-image';
import FileSpreadsheet from '@lucide/svelte/icons/file-spreadsheet';
import FileText from '@lucide/svelte/icons/file-text';
import Presentation from '@lucide/svelte/icons/presentation';
import { languageOf } from '$lib/markdown/languages';
import { nameOf } from './paths';
import type { FileView } from './requests';

type Media = FileView['media'];

const ICONS: Partial<Record<Media, typeof FileIcon>> = {
  text: FileText,
  markdown: FileText,
  pdf: FileText,
  document: FileText,
  code: FileCode,
  html: FileCode,
  table: FileSpreadsheet,
  sheet: FileSpreadsheet,
  slides: Presentation,
  image: FileImage,
};
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
const WRITABLE: readonly Media[] = ['text', 'markdown', 'code', 'table', 'html'];
/** What one can reasonably change in a field on a page. */
const EDITABLE_MAX_BYTES = 300_000;
const BROWSER_IMAGE_MIME_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/avif',
];

export const fileIcon = ({ media, mime }: Pick<FileView, 'media' | 'mime'>): typeof FileIcon =>
  ICONS[media] ?? (/zip|tar|compressed/.test(mime) ? FileArchive : FileIcon);

/** Write a number of bytes, as in "1.2 MB". */
export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[step] as string,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 || bytes / 1000 ** step >= 100 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}

/** Tell whether browsers show a picture of this kind. */
export const isBrowserImage = ({ mime }: Pick<FileView, 'mime'>): boolean =>
  BROWSER_IMAGE_MIME_TYPES.includes(mime);

/** Tell whether a file can be changed in place. */
export const isEditable = ({ media, size }: Pick<FileView, 'media' | 'size'>): boolean =>
  WRITABLE.includes(media) && size <= EDITABLE_MAX_BYTES;

/** Tell whether what is shown was taken out of the file, rather than being the file. */
export const isExtracted = ({ media }: Pick<FileView, 'media'>): boolean =>
  ['pdf', 'document', 'slides', 'sheet'].includes(media);

/** Tell whether a Markdown file is small enough to be drawn at once. */
export const isRenderedMarkdown = ({ media, size }: Pick<FileView, 'media' | 'size'>): boolean =>
  media === 'markdown' && size <= EDITABLE_MAX_BYTES;

/** Return the language of a file's code by its name; null when it is not coloured. */
export function languageOfPath(path: string): string | null {
  const name = nameOf(path).toLowerCase();
  return languageOf(name) ?? (name.includes('.') ? languageOf(name.slice(name.lastIndexOf('.') + 1)) : null);
}
