import type { Database } from './database.ts'

/** Small values that must survive a restart: the clock's offset, secrets of the pages, how deliveries misbehave. */
export type Settings = {
  read<T>(name: string, otherwise: T): T
  write(name: string, value: unknown): void
}

export function makeSettings(db: Database): Settings {
  return {
    read<T>(name: string, otherwise: T): T {
      const row = db.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)
      return row === undefined ? otherwise : (JSON.parse(row.value) as T)
    },
    write(name, value) {
      db.run(
        'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        JSON.stringify(value),
      )
    },
  }
}
