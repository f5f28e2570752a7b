import { ed25519Of, sha256 } from '../programs/node-crypto.ts'

/** Hashes and signatures of Node, for tests. */
export { sha256, verifyEd25519 } from '../programs/node-crypto.ts'

/** A key made from a name, as the vectors' are. */
export const keyOf = (name: string) => ed25519Of(sha256(new TextEncoder().encode(name)))
