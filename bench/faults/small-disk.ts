/** A disk of a run's own, a tmpfs of 256 MB, which it can fill to the last byte. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SIZE = '256m'

/** @property filler a file that is not there until the disk is filled; deleting it makes room again */
export type SmallDisk = { folder: string; filler: string }

/** Lends a disk to a run; where nothing may be mounted it prints so, and the run is left out. */
export async function onSmallDisk(work: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder])
  try {
    if (mounted.status !== 0) console.log('   skipped: nothing may be mounted here')
    else await work({ folder, filler: join(folder, 'filler') })
  } finally {
    if (mounted.status === 0) spawnSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes a file until the disk takes not one byte more. */
export function fillDisk({ filler }: SmallDisk): void {
  const file = openSync(filler, 'w')
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1) {
      const zeros = Buffer.alloc(size)
      try {
        for (;;) writeSync(file, zeros)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    closeSync(file)
  }
}
