/** The secret of a one-time link, from the whole link or from what stands after its `#`. */
export function parseOneTimeSecret(pasted: string): string {
  return pasted.slice(pasted.indexOf('#') + 1).trim();
}
