/*
 * The newest checkpoint that this browser ever saw, as its note. It lies in IndexedDB, which the end of a session does not empty: a rewritten
 * record would be found by it years later.
 */

const DATABASE = 'tradepost-record'
const STORE = 'seen'

/** @param origin of the log @returns null for none, and where storage is forbidden */
export async function readSeen(origin: string): Promise<string | null> {
  const note: unknown = await withStore('readonly', (store) => store.get(origin)).catch(() => null)
  return typeof note === 'string' ? note : null
}

/** Keeps a checkpoint in the place of the one before; the caller knows that it is newer. Without storage nothing is kept. */
export async function keepSeen(origin: string, note: string): Promise<void> {
  await withStore('readwrite', (store) => store.put(note, origin)).catch(() => null)
}

async function withStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest) {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database: IDBDatabase = await ended(opening)
  try {
    return await ended(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function ended<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
