import * as z from 'zod/mini'
import { noteNewerVersion } from './newer-version.ts'

type Path = readonly PropertyKey[]

/**
 * Reads an answer of the server, which may be newer than this page: an item of a list that cannot be read is left out, and the
 * rest is shown. A field is never left out by itself: it may change the meaning of those beside it.
 * @param noteLeftOut called when an item is left out
 * @returns null when nothing of it can be read
 */
export function readAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  answer: unknown,
  noteLeftOut: () => void = noteNewerVersion,
): z.output<Schema> | null {
  const read = z.safeParse(schema, answer)
  if (read.success) return read.data
  const rest = structuredClone(answer)
  const items = unreadableItems(read.error.issues)
  if (items === null || !items.every((item) => takeOut(rest, item))) return null
  noteLeftOut()
  return readAnswer(schema, rest, noteLeftOut)
}

/** The innermost item of a list around each fault, the last ones first; null when one is in no list. */
function unreadableItems(faults: readonly { path: Path }[]): Path[] | null {
  const items = new Map<string, Path>()
  for (const { path } of faults) {
    const at = path.findLastIndex((key) => typeof key === 'number')
    if (at < 0) return null
    const item = path.slice(0, at + 1)
    items.set(item.join(), item)
  }
  return [...items.values()].reverse()
}

function takeOut(answer: unknown, item: Path): boolean {
  const list = item
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], answer)
  return Array.isArray(list) && list.splice(Number(item.at(-1)), 1).length === 1
}
