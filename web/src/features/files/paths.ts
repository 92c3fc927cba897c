/** Paths of files: `docs/notes/ideas.md`. Folders have no slash at their end; the top is empty. */

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const joinPath = (folder: string, name: string): string => (folder ? `${folder}/${name}` : name);

/** Return every folder that a path lies in, the outermost first. */
export function ancestors(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

/** Tell whether a path is this folder, or lies in it. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

/** Return where something called as now would be in another folder; null where it cannot go there. */
export function pathAfterMove(path: string, folder: string): string | null {
  const target = joinPath(folder, nameOf(path));
  return target === path || isWithin(folder, path) ? null : target;
}

/** Return a path as typed without the blanks and slashes around it. */
export const trimPath = (typed: string): string => typed.trim().replace(/^\/+|\/+$/g, '');
