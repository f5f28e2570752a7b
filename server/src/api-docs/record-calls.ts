import type { RefusalCode } from '@tradepost/contract/errors'
import {
  recordConsistency,
  recordGaps,
  recordKeys,
  recordOfTrader,
  recordOpening,
  recordProof,
} from '@tradepost/contract/record-answers'
import {
  CHECKPOINT_PATH,
  CONSISTENCY_PATH,
  GAPS_PATH,
  KEYS_PATH,
  OPENINGS_PATH,
  PROOF_PATH,
  TILES_PATH,
  TRADERS_PATH,
} from '@tradepost/contract/record-keys'
import type * as z from 'zod'

/** A document of the record. `answer`: the type of an answer that is no JSON, or the shape of one that is. */
export type RecordCall = {
  name: string
  /** As OpenAPI writes it. */
  path: string
  summary: string
  /** Where each part of the address stands, and an example of it. */
  parameters: Record<string, { place: 'path' | 'query'; example: string | number }>
  answer: { type: string } | { schema: z.core.$ZodType }
  example: unknown
  refusals: RefusalCode[]
}

const VKEY = 'tradepost.example/record+9f2c1d40+BLs2…'
const HASH = 'tB8ySzcvJGjYI4tGRZ6pQjxgRmmHkzVDlOjg+U3/2Vk='
const NOTE = `tradepost.example/record\n24640\n${HASH}\n\n— tradepost.example/record nywdQAAA…\n`
const index = { place: 'path', example: 22_980 } as const
const asked = (example: number) => ({ place: 'query', example }) as const

/** The formats are those of c2sp.org, so that programs of others read them (ADR 0118). */
export const RECORD_CALLS: readonly RecordCall[] = [
  {
    name: 'recordCheckpoint',
    path: CHECKPOINT_PATH,
    summary: 'The newest checkpoint, a signed note (c2sp.org/tlog-checkpoint).',
    parameters: {},
    answer: { type: 'text/plain' },
    example: NOTE,
    refusals: ['not_found'],
  },
  {
    name: 'recordTile',
    path: `${TILES_PATH}/{level}/{index}`,
    summary:
      'A tile of hashes, or with `entries` as its level a bundle of entries (c2sp.org/tlog-tiles). The index is written as `x001/234`, a part of a tile ends with `.p/` and its width.',
    parameters: {
      level: { place: 'path', example: 'entries' },
      index: { place: 'path', example: '089.p/164' },
    },
    answer: { type: 'application/octet-stream' },
    example: '',
    refusals: ['not_found'],
  },
  {
    name: 'recordKeys',
    path: KEYS_PATH,
    summary: 'The keys whose signatures count.',
    parameters: {},
    answer: { schema: recordKeys },
    example: { origin: 'tradepost.example/record', log: [VKEY], witnesses: [], quorum: 0 },
    refusals: ['not_found'],
  },
  {
    name: 'recordProof',
    path: PROOF_PATH,
    summary: 'Proves that an entry is in the tree of a size.',
    parameters: { index: asked(22_980), size: asked(24_640) },
    answer: { schema: recordProof },
    example: { index: 22_980, size: 24_640, path: [HASH] },
    refusals: ['not_found'],
  },
  {
    name: 'recordConsistency',
    path: CONSISTENCY_PATH,
    summary: 'Proves that a tree begins with the whole of a smaller one.',
    parameters: { from: asked(22_981), to: asked(24_640) },
    answer: { schema: recordConsistency },
    example: { from: 22_981, to: 24_640, proof: [HASH] },
    refusals: ['not_found'],
  },
  {
    name: 'recordOpening',
    path: `${OPENINGS_PATH}/{index}`,
    summary: 'The text of an entry and the salt that opens it, once everybody may read them.',
    parameters: { index },
    answer: { schema: recordOpening },
    example: {
      salt: HASH,
      text: '["opened","NVDA","187.52","USD","2026-11-18T15:04:09.000Z","one_to_three_weeks","…"]',
    },
    refusals: ['not_found', 'record_sealed', 'record_erased'],
  },
  {
    name: 'recordOfTrader',
    path: `${TRADERS_PATH}/{username}`,
    summary: 'The entries of a trader, and the positions that the product shows.',
    parameters: { username: { place: 'path', example: 'maria' } },
    answer: { schema: recordOfTrader },
    example: { record: '3f9c0d8e5b7a41c2a6d0e4f19b2c7d55', seq: 78, open: 4, closed: 37, leaves: [22_980] },
    refusals: ['not_found'],
  },
  {
    name: 'recordGaps',
    path: GAPS_PATH,
    summary: 'Entries that restored backups have lost.',
    parameters: {},
    answer: { schema: recordGaps },
    example: { gaps: [] },
    refusals: [],
  },
]
