module vectors

go 1.26.0

require (
	filippo.io/torchwood v0.8.0
	github.com/transparency-dev/formats v0.1.1
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.43.0
)

require (
	filippo.io/mldsa v0.0.0-20260215214346-43d0283efc3e // indirect
	golang.org/x/crypto v0.52.0 // indirect
	golang.org/x/sync v0.18.0 // indirect
)
