//go:build !linux

// Package memory says how much memory is free.
package memory

// Free is not known here.
func Free() int64 { return 0 }
