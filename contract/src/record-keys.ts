/*
 * Names that the server and the pages of the public record share (ADR 0119), in a file without schemas: a schema library would be larger
 * than the page.
 */

/** The keys of an installation's record, each as a verifier key of C2SP's signed notes; `quorum` is how many witnesses a checkpoint needs. */
export type RecordKeys = { origin: string; log: string[]; witnesses: string[]; quorum: number }

/** Id of the JSON script element of /verify that holds the keys, or null where there is no record yet. */
export const RECORD_KEYS_ELEMENT_ID = 'record-keys'

/** The newest checkpoint as a person reads it; `signedAt` in seconds since 1970. */
export type RecordState = { size: number; signedAt: number; witnesses: number }

/** Where the record is read. */
export const RECORD_PATH = '/record'
export const CHECKPOINT_PATH = `${RECORD_PATH}/checkpoint`
export const CONSISTENCY_PATH = `${RECORD_PATH}/consistency`
export const GAPS_PATH = `${RECORD_PATH}/gaps`
export const KEYS_PATH = `${RECORD_PATH}/keys`
export const OPENINGS_PATH = `${RECORD_PATH}/openings`
export const PROOF_PATH = `${RECORD_PATH}/proof`
export const TILES_PATH = `${RECORD_PATH}/tile`
export const TRADERS_PATH = `${RECORD_PATH}/traders`
