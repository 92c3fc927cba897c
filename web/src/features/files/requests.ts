/** What is asked of the server about files. */
import { api, need, Problem, type Schemas } from '$api/client';
import type { Deletion } from '$features/deletions/undo';

export type FileView = Schemas['FileView'];
export type FolderView = Schemas['FolderView'];
export type FilePage = Schemas['FilePage'];
export type FileText = Schemas['FileText'];
export type Version = Schemas['VersionView'];
export type Skipped = Schemas['SkippedView'];
export type Uploaded = Schemas['UploadView'];
export type Hit = Schemas['HitView'];
export type IndexView = Schemas['IndexView'];
export type AttachmentPage = Schemas['AttachmentPage'];
export type Metadata = Partial<Schemas['FileMetadata']>;

const FILES = '/api/projects/{project_id}/files';
const FILE = '/api/projects/{project_id}/files/{file_id}';
const inProject = (project_id: string) => ({ params: { path: { project_id } } });
const atFile = ({ project_id, id }: Place) => ({ params: { path: { project_id, file_id: id } } });

/** Where a file is, whatever it is called. */
export type Place = Pick<FileView, 'project_id' | 'id'>;

export interface Level {
  readonly folder: string;
  readonly tag: string;
  readonly after: string;
  readonly limit: number;
}

/** List the files and folders that lie directly in a folder. */
export const listLevel = (projectId: string, { folder, tag, after, limit }: Level): Promise<FilePage> =>
  need(
    api.GET(FILES, {
      params: { path: { project_id: projectId }, query: { prefix: folder, depth: '1', tag, after, limit } },
    }),
  );

/** List files at any depth by path. */
export const listAll = (projectId: string, folder: string, after = '', limit = 1000): Promise<FilePage> =>
  need(
    api.GET(FILES, { params: { path: { project_id: projectId }, query: { prefix: folder, after, limit } } }),
  );

/** Read a file and some lines of its text. */
export function readFile({ project_id, id }: Place, start: number, end: number): Promise<FileText> {
  const query = { start_line: start, end_line: end };
  return need(api.GET(FILE, { params: { path: { project_id, file_id: id }, query } }));
}

export async function createText(projectId: string, path: string): Promise<FileView> {
  const answer = await need(
    api.POST(FILES, {
      params: { path: { project_id: projectId }, query: { if_match: 0 } },
      body: { path, content: '' } as never,
    }),
  );
  return answer.files[0] as FileView;
}

/** Make a text a file's newest version; `ifMatch` is the version that it was made from. */
export const saveText = ({ project_id, id }: Place, content: string, ifMatch: number): Promise<FileView> =>
  need(
    api.PUT(FILE, {
      params: { path: { project_id, file_id: id }, query: { if_match: ifMatch } },
      body: { content } as never,
    }),
  );

/** Make the bytes of another file a file's newest version. */
export const replaceBytes = ({ project_id, id }: Place, file: Blob): Promise<FileView> =>
  need(
    api.PUT(FILE, {
      params: { path: { project_id, file_id: id } },
      headers: { 'Content-Type': 'application/octet-stream' },
      body: file as never,
      bodySerializer: (body: unknown) => body as Blob,
    }),
  );

/** Change flags, tags or the summary; what is left out stays. */
export const describe = (file: Place, change: Metadata): Promise<FileView> =>
  need(api.PATCH(`${FILE}/metadata`, { ...atFile(file), body: change as Schemas['FileMetadata'] }));

export const moveFile = (file: Place, path: string): Promise<FileView> =>
  need(api.POST(`${FILE}/move`, { ...atFile(file), body: { path } }));

export async function moveFolder(projectId: string, from: string, to: string): Promise<number> {
  const body = { from_prefix: from, to_prefix: to };
  return (await need(api.POST(`${FILES}/move`, { ...inProject(projectId), body }))).files;
}

/** Delete files and whole folders, with an undo. */
export const deleteAll = (projectId: string, body: Schemas['FilesDeletion']): Promise<Deletion> =>
  need(api.POST(`${FILES}/deletion`, { ...inProject(projectId), body }));

/** List the files that are attached to a conversation. */
export const listAttachments = (conversationId: string): Promise<AttachmentPage> =>
  need(
    api.GET('/api/conversations/{conversation_id}/files', {
      params: { path: { conversation_id: conversationId }, query: { limit: 1000 } },
    }),
  );

/** Make an attachment a file of its project, for every member to see. */
export const putIntoProject = (file: Place): Promise<FileView> =>
  need(api.POST(`${FILE}/put-into-project`, { ...atFile(file), body: {} }));

export const listVersions = async (file: Place): Promise<Version[]> =>
  (await need(api.GET(`${FILE}/versions`, atFile(file)))).versions;

export async function compare({ project_id, id }: Place, from: number, to: number): Promise<string> {
  const params = { path: { project_id, file_id: id }, query: { from, to } };
  return (await need(api.GET(`${FILE}/diff`, { params }))).diff;
}

export const restore = ({ project_id, id }: Place, number: number): Promise<FileView> =>
  need(
    api.POST(`${FILE}/versions/{number}/restore`, { params: { path: { project_id, file_id: id, number } } }),
  );

/** Find passages in the files of a project. */
export async function searchFiles(projectId: string, query: string): Promise<Hit[]> {
  const body = { query, limit: 30, filter: { kinds: ['file'] } } as unknown as Schemas['SearchBody'];
  return (await need(api.POST('/api/projects/{project_id}/search', { ...inProject(projectId), body }))).hits;
}

export const getIndex = (projectId: string): Promise<IndexView> =>
  need(api.GET('/api/projects/{project_id}/index', inProject(projectId)));

/** The address of a file's bytes. */
export const contentUrl = ({ project_id, id, hash }: Place & { hash: string }): string =>
  `/api/projects/${project_id}/files/${id}/content?of=${hash.slice(0, 16)}`;

export interface Sending {
  readonly prefix: string;
  readonly unpack: boolean;
  readonly signal: AbortSignal;
  readonly onprogress: (bytes: number) => void;
}

/** Where files of a project are sent. */
export const filesUrl = (projectId: string): string => `/api/projects/${projectId}/files`;
/** Where files are sent that are attached to a conversation. */
export const attachmentsUrl = (conversationId: string): string =>
  `/api/conversations/${conversationId}/files`;

/** Send files as one form; only the older kind of request tells how far it has come. */
export function sendForm(
  url: string,
  files: readonly { path: string; file: Blob }[],
  { prefix, unpack, signal, onprogress }: Sending,
): Promise<Uploaded> {
  const form = new FormData();
  form.append('prefix', prefix);
  form.append('unpack', String(unpack));
  for (const { path, file } of files) form.append('files', file, path);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.responseType = 'json';
    request.upload.onprogress = (event) => onprogress(event.loaded);
    request.onload = () =>
      request.status === 201 ? resolve(request.response as Uploaded) : reject(problemOf(request));
    request.onerror = () =>
      reject(new Problem(0, 'offline', 'The server cannot be reached just now. Try again in a moment.'));
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

function problemOf(request: XMLHttpRequest): Problem {
  const detail = (request.response as { error?: { code: string; message: string } } | null)?.error;
  const message = detail?.message ?? `The server answered ${request.status}.`;
  return new Problem(request.status, detail?.code ?? 'http_error', message);
}
