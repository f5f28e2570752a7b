/**
 * Every toast is shown by this: `toast.success('…', { duration: MAIN_SCREEN_TOAST_MS })`. The headless build has the same
 * timing (4 s, errors 4 s, success 2 s, loading without end, at most 20; docs/specification.md section 9) but writes no styles
 * at run time, which the Content-Security-Policy would refuse. app/toaster.tsx draws them.
 */
export { toast } from 'react-hot-toast/headless'
