import { normalizeEmail } from '@tradepost/contract/email-address'

/*
 * The proof by which addresses that have signed in here know this browser, so that strangers who use up the mails or tries of
 * such an address do not lock it out (rule G-04). In IndexedDB, which ending a session does not clear, and by a hash of
 * the address: the next person who uses the browser cannot read there who has signed in.
 */

const DATABASE = 'tradepost'
const STORE = 'known-devices'
/** Signing in does not wait for a storage that does not answer; it goes on as on an unknown device. */
const ANSWER_TIMEOUT_MS = 1000

/** Keeps what the server sent with a sign-in; where nothing can be kept, the device stays unknown. */
export async function keepProof(email: string, proof: string): Promise<void> {
  await ask('readwrite', email, (store, name) => store.put(proof, name))
}

/** The proof of this browser for the address, or null. @param email as typed */
export async function findProof(email: string): Promise<string | null> {
  const proof = await ask('readonly', email, (store, name) => store.get(name))
  return typeof proof === 'string' ? proof : null
}

type Question = (store: IDBObjectStore, name: string) => IDBRequest

/** @returns what the store answers, or null when it is forbidden, broken or silent */
async function ask(mode: IDBTransactionMode, email: string, question: Question): Promise<unknown> {
  const silence = new Promise<null>((resolve) => setTimeout(resolve, ANSWER_TIMEOUT_MS, null))
  return Promise.race([answer(mode, email, question).catch(() => null), silence])
}

async function answer(mode: IDBTransactionMode, email: string, question: Question): Promise<unknown> {
  const name = await nameOf(email)
  const opening = indexedDB.open(DATABASE)
  opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE)
  const database = await settled(opening)
  try {
    return await settled(question(database.transaction(STORE, mode).objectStore(STORE), name))
  } finally {
    database.close()
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** SHA-256 of the address as the server spells it. */
async function nameOf(email: string): Promise<string> {
  const bytes = new TextEncoder().encode(normalizeEmail(email) ?? '')
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
