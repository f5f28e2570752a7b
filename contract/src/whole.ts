/**
 * An object with every field of `T` named, optional ones as undefined where they are left out. A presenter that is held to it does not
 * compile when it forgets a field that the contract has got since.
 */
export type Whole<T> = { [Key in keyof T]-?: T[Key] | (T extends Record<Key, T[Key]> ? never : undefined) }
