package store

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Sum computes the size and the checksum of the data written to it.
type Sum struct {
	hash hash.Hash
	n    int64
}

// NewSum returns an empty Sum.
func NewSum() *Sum { return &Sum{hash: sha256.New()} }

// Write implements io.Writer.
func (s *Sum) Write(b []byte) (int, error) {
	s.n += int64(len(b))
	return s.hash.Write(b)
}

// File returns the size and checksum as a File.
func (s *Sum) File() File { return File{Bytes: s.n, SHA256: hex.EncodeToString(s.hash.Sum(nil))} }
