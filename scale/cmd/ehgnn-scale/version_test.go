package main

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/version"
)

func TestVersion(t *testing.T) {
	text := succeeded(t, "version")
	if !strings.HasPrefix(text, "ehgnn-scale "+version.Get("").Name()+", go1.") || !strings.Contains(text, "kernels: ") {
		t.Errorf("version prints %q", text)
	}
	if flag := succeeded(t, "--version"); flag != text {
		t.Errorf("--version prints %q, version prints %q", flag, text)
	}
}
