import { openApiDocument } from '../../src/api-docs/openapi.ts'

export type Field = {
  type: string
  description?: string
  minLength?: number
  maxLength?: number
  pattern?: string
  enum?: string[]
}

type Operation = {
  operationId: string
  parameters: { name: string; schema: Field }[]
  requestBody?: { content: { 'application/json': { schema: { properties: Record<string, Field> } } } }
}

/** The fields that each call of the product takes, by the API document: in its path, its query and its body. */
export function documentedFields(): Record<string, Record<string, Field>> {
  const { paths } = openApiDocument('https://tradepost.example') as {
    paths: Record<string, Record<string, Operation>>
  }
  // Documents of the record are the same for everybody.
  const calls = Object.entries(paths).filter(([path]) => path.startsWith('/v1/'))
  const operations = calls.flatMap(([, methods]) => Object.values(methods))
  return Object.fromEntries(
    operations.map(({ operationId, parameters, requestBody }) => [
      operationId,
      {
        ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        ...requestBody?.content['application/json'].schema.properties,
      },
    ]),
  )
}
