import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'

/** Stands on loopback in front of a server, passes everything on, and fails as networks and machines do. */
export type TcpProxy = AsyncDisposable & {
  /** The server's URL, through the proxy. */
  url: string
  /** Connections through it that are open at the client's side. */
  connections(): number
  /**
   * The connections there are go silent for good: their bytes are taken and acknowledged and never passed on, and
   * neither side learns that the other has closed. New connections work.
   */
  freeze(): void
  /**
   * The next request that holds this text reaches the server; its answer, and every later one of that connection, is
   * lost, and the server does not learn that the client has closed.
   * @returns resolves when that request has been passed on
   */
  loseAnswerTo(text: string): Promise<void>
  /**
   * The next request that holds this text does not reach the server: its connection ends at both sides instead.
   * @returns resolves when it has
   */
  loseRequest(text: string): Promise<void>
  /** Holds everything back until `resume`, which delivers it; new connections are accepted and then silent. */
  stall(): void
  resume(): void
  /** Ends every connection at both sides. */
  cut(): void
  /** New connections lead to another server; without one they are accepted and then silent for good. */
  redirect(target: string | null): void
}

/** @param target URL of the server; its host and port are replaced in the proxy's own */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const state: State = { target, pairs: new Set(), stalled: false, awaited: null }
  const server = createServer({ allowHalfOpen: true }, (client) => join(state, client))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const { sides } of state.pairs) for (const { socket } of sides) socket.destroy()
    state.pairs.clear()
  }
  return {
    url: url.href,
    connections: () => [...state.pairs].filter(({ sides: [client] }) => !client.socket.destroyed).length,
    freeze() {
      for (const pair of state.pairs) pair.lost = 'everything'
    },
    loseAnswerTo: (text) => awaitRequest(state, text, 'answers'),
    loseRequest: (text) => awaitRequest(state, text, 'everything'),
    stall() {
      state.stalled = true
    },
    resume() {
      state.stalled = false
      for (const pair of state.pairs) for (const side of pair.sides) passOn(state, pair, side)
    },
    cut,
    redirect(other) {
      state.target = other
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** One end of a connection, and what has come from it and not been passed on yet. */
type Side = { socket: Socket; held: Buffer[]; ended: boolean }
type Pair = { sides: [client: Side, server: Side]; lost: 'nothing' | 'answers' | 'everything' }
type State = {
  target: string | null
  pairs: Set<Pair>
  stalled: boolean
  awaited: { text: string; loses: 'answers' | 'everything'; met: () => void } | null
}

function awaitRequest(state: State, text: string, loses: 'answers' | 'everything'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  state.awaited = { text, loses, met: resolve }
  return promise
}

function join(state: State, client: Socket): void {
  const server = state.target === null ? new Socket() : connectTo(state.target)
  const pair: Pair = {
    sides: [
      { socket: client, held: [], ended: false },
      { socket: server, held: [], ended: false },
    ],
    lost: state.target === null ? 'everything' : 'nothing',
  }
  state.pairs.add(pair)
  for (const side of pair.sides) {
    side.socket.setNoDelay(true)
    side.socket.on('error', () => undefined)
    side.socket.on('data', (bytes: Buffer) => {
      side.held.push(bytes)
      passOn(state, pair, side)
    })
    side.socket.on('close', () => {
      side.ended = true
      passOn(state, pair, side)
    })
    side.socket.on('end', () => {
      side.ended = true
      passOn(state, pair, side)
    })
  }
}

function connectTo(target: string): Socket {
  const { hostname, port } = new URL(target)
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true })
}

function passOn(state: State, pair: Pair, side: Side): void {
  if (state.stalled) return
  const [client, server] = pair.sides
  const isClient = side === client
  const other = isClient ? server : client
  for (const bytes of side.held.splice(0)) {
    const { awaited } = state
    const isAwaited = isClient && awaited !== null && bytes.includes(awaited.text)
    if (isAwaited && pair.lost === 'nothing') {
      pair.lost = awaited.loses
      state.awaited = null
      if (awaited.loses === 'answers') other.socket.write(bytes, awaited.met)
      else {
        for (const { socket } of pair.sides) socket.destroy()
        awaited.met()
      }
    } else if (pair.lost === 'nothing' || (isClient && pair.lost === 'answers')) other.socket.write(bytes)
  }
  if (!side.ended) return
  if (pair.lost === 'nothing') other.socket.end()
  if (client.socket.destroyed && server.socket.destroyed) state.pairs.delete(pair)
}
