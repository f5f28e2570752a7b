/**
 * The pool of vitest's own worker processes, without its limit on their start. Vitest gives a process 60 seconds from its first line
 * to a loaded environment, in a constant that cannot be set, and a machine that is busy enough takes longer: the files of that process
 * then end without a result (scripts/patient-pool.test.ts).
 */
import {
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type WorkerRequest,
  type WorkerResponse,
} from 'vitest/node'

const NAME = 'patient forks'
const IS_RESPONSE = { __vitest_worker_response__: true } as const

/** Requests that a process understands only once it has started. */
const WAIT_FOR_START: readonly string[] = ['run', 'collect', 'stop'] satisfies WorkerRequest['type'][]

type Listener = (message: unknown) => void

/** Answers vitest at once that it has started, and holds its requests until it really has. A process that dies is noticed as ever. */
class PatientWorker extends ForksPoolWorker {
  override readonly name = NAME
  private readonly listeners = new Set<Listener>()
  private held: WorkerRequest[] = []
  private standing: 'begun' | 'done' | { error: unknown } = 'begun'

  override on(event: string, listener: Listener): void {
    super.on(event, listener)
    if (event !== 'message') return
    if (this.listeners.size === 0) super.on('message', this.noteStart)
    this.listeners.add(listener)
  }

  override off(event: string, listener: Listener): void {
    super.off(event, listener)
    if (event === 'message') this.listeners.delete(listener)
  }

  override send(request: WorkerRequest): void {
    if (request.type === 'start') {
      super.send(request)
      this.answer({ ...IS_RESPONSE, type: 'started' })
    } else if (!WAIT_FOR_START.includes(request.type) || this.standing === 'done') {
      super.send(request)
    } else if (this.standing === 'begun') {
      this.held.push(request)
    } else {
      const type = request.type === 'stop' ? 'stopped' : 'testfileFinished'
      this.answer({ ...IS_RESPONSE, type, error: this.standing.error })
    }
  }

  private readonly noteStart = (message: unknown): void => {
    const { type, error } = message as Partial<WorkerResponse>
    if (type !== 'started') return
    this.standing = error ? { error } : 'done'
    for (const request of this.held.splice(0)) this.send(request)
  }

  /** Asynchronous, as a message of a real process is: vitest listens only after it has sent the request. */
  private answer(response: WorkerResponse): void {
    setImmediate(() => {
      for (const listener of this.listeners) listener(response)
    })
  }
}

export const patientForks: PoolRunnerInitializer = {
  name: NAME,
  createPoolWorker: (options: PoolOptions) => new PatientWorker(options),
}
