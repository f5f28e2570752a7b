import type { SandboxClock } from '../clock/clock.ts'
import type { Courier } from '../webhooks/deliver.ts'
import type { Faults } from '../wire/faults.ts'
import type { World } from '../world/world.ts'

/** The running payments sandbox, as its pages and its control desk use it. */
export type StripePart = { world: World; clock: SandboxClock; courier: Courier; faults: Faults }
