import type { TestApp } from '../build-test-app.ts'

type Statement = string | { text?: string }
type Queryish = { query: (...args: never[]) => unknown }

/**
 * Writes down the text of every statement that the app sends, or the product's own code over the test's `db`, in order, while `work`
 * runs: two requests that send the same texts cost the same and cannot be distinguished.
 */
export async function statementsOf(
  { pool, product }: Pick<TestApp, 'pool' | 'product'>,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const texts: string[] = []
  const undo = [...new Set([pool, product.pool])].map((each) => watchPool(each, texts))
  try {
    await work()
  } finally {
    for (const each of undo) each()
  }
  return texts
}

function watchPool(pool: TestApp['pool'], texts: string[]): () => void {
  const connect = pool.connect.bind(pool)
  pool.connect = (async () => {
    const client = await connect()
    const undo = watch(client as unknown as Queryish, texts)
    const release = client.release.bind(client)
    client.release = (error) => {
      undo()
      client.release = release
      release(error)
    }
    return client
  }) as typeof pool.connect
  return () => {
    pool.connect = connect
  }
}

function watch(client: Queryish, texts: string[]): () => void {
  const query = client.query
  client.query = ((...args: never[]) => {
    const statement = args[0] as unknown as Statement
    texts.push(typeof statement === 'string' ? statement : (statement.text ?? ''))
    return query.apply(client, args)
  }) as typeof client.query
  return () => {
    client.query = query
  }
}
