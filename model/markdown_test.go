package model

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/models.md")

// docs/models.md is what the registries say.
func TestMarkdown(t *testing.T) {
	const path = "../docs/models.md"
	if *update {
		if err := os.WriteFile(path, []byte(markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != markdown() {
		t.Errorf("%s is not what the registries say; run go test ./model -run TestMarkdown -update", path)
	}
}
