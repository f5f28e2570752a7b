import { configure } from '@testing-library/react'

// A limit for what never comes, not a measure of speed: a slow machine passes too.
configure({ asyncUtilTimeout: 20_000 })
