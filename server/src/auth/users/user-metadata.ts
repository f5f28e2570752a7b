/** The most bytes, of UTF-8, that the metadata of a user take. */
const METADATA_MAX_BYTES = 2048
/** NUL and halves of surrogate pairs: JSON can hold them, the database cannot. */
export const UNSTORABLE = /\\u(0000|d[89a-f])/i

/** Whether the metadata of a user can be kept: no more than 2,048 bytes as JSON, none of them unstorable. */
export function fitsMetadata(data: object): boolean {
  const text = JSON.stringify(data)
  return Buffer.byteLength(text) <= METADATA_MAX_BYTES && !UNSTORABLE.test(text)
}
