import { fields, number, readAs, type Shape, text } from '../shape/shape.ts'
import type { Database } from './database.ts'

/** A small value that must survive a restart: the clock's offset, a secret of the pages, how deliveries misbehave. */
export type Setting<T> = {
  name: string
  shape: Shape<T>
  /** The value until somebody sets it. */
  otherwise: T
}

export type Settings = {
  read<T>(setting: Setting<T>): T
  write<T>(setting: Setting<T>, value: T): void
}

/** The sandbox's offset on top of the base clock, in milliseconds. */
export const OFFSET: Setting<number> = { name: 'clock-offset', shape: number, otherwise: 0 }

const valueRow = fields({ value: text })

export function makeSettings(db: Database): Settings {
  return {
    read({ name, shape, otherwise }) {
      const row = db.get(valueRow, 'SELECT value FROM settings WHERE name = ?', name)
      return row === undefined ? otherwise : readAs(shape, JSON.parse(row.value), `The setting ${name}`)
    },
    write({ name }, value) {
      db.run(
        'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        JSON.stringify(value),
      )
    },
  }
}
