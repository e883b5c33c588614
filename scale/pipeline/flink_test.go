//go:build flink

package pipeline_test

import "testing"

// Flink, with Beam's job server at EHGNN_FLINK_ENDPOINT on this machine, writes the same bytes as
// package local.
func TestFlink(t *testing.T) { onEngine(t, "flink", "EHGNN_FLINK_ENDPOINT") }
