package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// files reads a tar.
func files(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	out, a := map[string][]byte{}, tar.NewReader(r)
	for {
		h, err := a.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(a); err != nil {
			t.Fatal(err)
		}
	}
}

// An image has the program at /ehgnn, each blob under its digest, and the same bits each time.
func TestImage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	program := filepath.Join(t.TempDir(), "ehgnn")
	if err := os.WriteFile(program, []byte("a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	for _, to := range []*bytes.Buffer{&a, &b} {
		if err := run([]string{program, "arm64", "1.0"}, to); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two images differ")
	}
	all := files(t, &a)
	for name, data := range all {
		if sum, is := strings.CutPrefix(name, "blobs/sha256/"); is && "sha256:"+sum != digest(data) {
			t.Errorf("%s has the digest %s", name, digest(data))
		}
	}
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var config struct {
		Architecture string
		Config       struct {
			User            string
			Entrypoint, Cmd []string
			ExposedPorts    map[string]any
		}
		RootFS struct {
			Diffs []string `json:"diff_ids"`
		}
	}
	read := func(name string, v any) {
		t.Helper()
		if err := json.Unmarshal(all[name], v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	read("index.json", &index)
	read(path(index.Manifests[0].Digest), &manifest)
	read(path(manifest.Config.Digest), &config)
	z, err := gzip.NewReader(bytes.NewReader(all[path(manifest.Layers[0].Digest)]))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if have := files(t, bytes.NewReader(layer)); string(have["ehgnn"]) != "a program" || len(have) != 1 || config.RootFS.Diffs[0] != digest(layer) {
		t.Errorf("the layer has %d files, its digest is %s, the image names %s", len(have), digest(layer), config.RootFS.Diffs)
	}
	var docker []struct {
		Config           string
		RepoTags, Layers []string
	}
	read("manifest.json", &docker)
	if d := docker[0]; d.Config != path(manifest.Config.Digest) || d.Layers[0] != path(manifest.Layers[0].Digest) || d.RepoTags[0] != "ehgnn:1.0" {
		t.Errorf("for docker the image is %+v", d)
	}

	// The settings are those of the Dockerfile.
	text, err := os.ReadFile("../../examples/deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	said := func(word string) string {
		return string(regexp.MustCompile(`(?m)^` + word + ` (.*)$`).FindSubmatch(text)[1])
	}
	list := func(words []string) string { text, _ := json.Marshal(words); return string(text) } // of texts
	c := config.Config
	if c.User != said("USER") || list(c.Entrypoint) != said("ENTRYPOINT") || list(c.Cmd) != said("CMD") || c.ExposedPorts[said("EXPOSE")+"/tcp"] == nil || config.Architecture != "arm64" {
		t.Errorf("the settings of the image are %+v", config)
	}
}

func TestImageRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"missing", "amd64", "1"}, {"main.go", "amd64"}} {
		t.Setenv("SOURCE_DATE_EPOCH", "0")
		if run(args, io.Discard) == nil {
			t.Errorf("%q makes an image", args)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if run([]string{"main.go", "amd64", "1"}, io.Discard) == nil {
		t.Error("a time that is none makes an image")
	}
}
