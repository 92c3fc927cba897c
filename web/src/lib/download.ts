/** Offer something as a file. */
export function downloadBlob(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A text as the name of a file: without signs that some systems forbid, and never hidden. */
export function fileNameFor(text: string, otherwise: string): string {
  const name = text
    .replace(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069\\/:*?"<>|]+/gu, ' ')
    .replace(/^[ .]+|[ .]+$/g, '');
  return name || otherwise;
}
