import { readUsername } from '@tradepost/contract/typed-name'
import { TraderSearch } from '../features/traders/trader-search.tsx'
import { useSearchParams } from '../lib/router.tsx'

/**
 * /search (docs/specification.md section 2). The address keeps what was searched, so that coming back from a profile finds it.
 */
export function SearchScreen() {
  const [parameters, setParameters] = useSearchParams()
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">Search</h1>
      <TraderSearch
        searched={readUsername(parameters.get('username') ?? '')}
        onSearch={(username) => setParameters({ username }, { replace: true })}
      />
    </div>
  )
}
