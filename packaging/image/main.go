// Command image packs the static program as a container image, the one that examples/deploy/Dockerfile describes:
//
//	image PROGRAM ARCHITECTURE VERSION > ehgnn.tar
//
// The file is an OCI layout and has the manifest of docker save beside it, so that docker load, podman load and skopeo
// read it. Neither docker nor a network is needed. Its times are SOURCE_DATE_EPOCH: equal programs have equal images.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

const name = "ehgnn"

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("%d arguments, expected the program, its architecture and its version", len(args))
	}
	program, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w, expected seconds since 1970", err)
	}
	return pack(w, program, args[1], args[2], time.Unix(seconds, 0).UTC())
}

// descriptor refers to a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type object map[string]any

// pack writes the image.
func pack(w io.Writer, program []byte, architecture, version string, at time.Time) error {
	out := archive{tar.NewWriter(w), at}
	layer, plain, err := layerOf(program, at)
	if err != nil {
		return err
	}
	of := descriptor{MediaType: "application/vnd.oci.image.layer.v1.tar+gzip", Digest: digest(layer), Size: len(layer)}
	config := blob("application/vnd.oci.image.config.v1+json", object{
		"created": at.Format(time.RFC3339), "architecture": architecture, "os": "linux",
		"config": object{"User": "65532:65532", "ExposedPorts": object{"8080/tcp": object{}}, "Entrypoint": []string{"/ehgnn"}, "Cmd": []string{"--help"},
			"Labels": object{"org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0"}},
		"rootfs":  object{"type": "layers", "diff_ids": []string{plain}},
		"history": []object{{"created": at.Format(time.RFC3339), "created_by": "make release"}},
	})
	manifest := blob("application/vnd.oci.image.manifest.v1+json", object{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": config.descriptor, "layers": []descriptor{of}})
	manifest.Annotations = map[string]string{"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "docker.io/library/" + name + ":" + version}
	index := blob("", object{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []descriptor{manifest.descriptor}})
	docker := blob("", []object{{"Config": path(config.Digest), "RepoTags": []string{name + ":" + version}, "Layers": []string{path(of.Digest)}}})
	for _, f := range []struct {
		name string
		data []byte
	}{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", index.data}, {"manifest.json", docker.data},
		{path(config.Digest), config.data}, {path(manifest.Digest), manifest.data}, {path(of.Digest), layer}} {
		if err := out.add(f.name, 0o644, f.data); err != nil {
			return err
		}
	}
	return out.Close()
}

// layerOf is the one layer of an image, and the digest that it has before it is compressed.
func layerOf(program []byte, at time.Time) (layer []byte, plain string, err error) {
	var files, packed bytes.Buffer
	a := archive{tar.NewWriter(&files), at}
	if err := a.add("ehgnn", 0o755, program); err != nil {
		return nil, "", err
	}
	if err := a.Close(); err != nil {
		return nil, "", err
	}
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
	if _, err := z.Write(files.Bytes()); err != nil {
		return nil, "", err
	}
	err = z.Close()
	return packed.Bytes(), digest(files.Bytes()), err
}

// stored is a value in JSON with what refers to it.
type stored struct {
	descriptor
	data []byte
}

func blob(kind string, v any) stored {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // there are texts and numbers alone in it
	}
	return stored{descriptor{MediaType: kind, Digest: digest(data), Size: len(data)}, data}
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

func path(digest string) string { return "blobs/sha256/" + digest[len("sha256:"):] }

// archive is a tar whose files have one time and belong to root.
type archive struct {
	*tar.Writer
	at time.Time
}

func (a archive) add(name string, mode int64, data []byte) error {
	if err := a.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: a.at, Format: tar.FormatUSTAR}); err != nil {
		return err
	}
	_, err := a.Write(data)
	return err
}
