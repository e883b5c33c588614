//go:build !amd64 || noasm

package kernel

func edgeMessagesSIMD(*EdgeMessages, int, int) bool { return false }
