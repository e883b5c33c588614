module github.com/ehgnn/ehgnn/test/torture

go 1.26.0

require (
	github.com/ehgnn/ehgnn v0.0.0-00010101000000-000000000000
	golang.org/x/sys v0.48.0
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/klauspost/compress v1.20.1 // indirect
)

replace github.com/ehgnn/ehgnn => ../../
