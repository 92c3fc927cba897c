/** How large a picture is: what it costs depends on nothing else, so only that travels before sending. */
import type { Schemas } from '$api/client';

export type PictureSize = Schemas['PictureSize'];

/** Return the size of a picture from its address; zero where it cannot be read. */
export async function measurePicture(src: string): Promise<PictureSize> {
  const picture = new Image();
  picture.src = src;
  await picture.decode().catch(() => undefined);
  return { width: picture.naturalWidth, height: picture.naturalHeight };
}
