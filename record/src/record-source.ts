/** The public answers of a log that is looked at: a server over HTTP, a mirror's files, or a world in memory. */

/** An opening's answer: `sealed` while nobody may see it, and for a leaf that is not there. */
export type Opening = { salt: Uint8Array; text: string } | 'sealed' | 'erased'

/** The site's own account of a trader. */
export type ShownTrader = {
  /** The id of the record in hexadecimal. */
  record: string
  /** The number of the newest leaf that the counts include. */
  seq: number
  open: number
  closed: number
  /** The indexes of all leaves of the record. */
  leaves: readonly number[]
}

export type RecordSource = {
  /** The newest signed checkpoint, a note. */
  checkpoint(): Promise<string>
  /** An entry bundle (`tiles.ts`) of so many entries. */
  bundle(index: number, width: number): Promise<Uint8Array>
  /** @returns null where the log has none */
  inclusion(index: number, size: number): Promise<Uint8Array[] | null>
  /** @returns null where the log has none */
  consistency(from: number, to: number): Promise<Uint8Array[] | null>
  opening(index: number): Promise<Opening>
  /** @returns null for nobody */
  trader(username: string): Promise<ShownTrader | null>
}
