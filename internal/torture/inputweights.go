//go:build linux

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// inputWeights opens runs whose weights lie.
var inputWeights = scenario{
	name:  "input/weights",
	about: "run folders from strangers: weights with lying headers, huge shapes, metadata that are valid JSON and no settings; settings that ask for huge models",
	share: 1, quick: 12,
	trial: func(t *trial) {
		run := t.trained(pick(t, "hyperdrop", "ehgnn-edge", "nodes"))
		for name, text := range tree(run.dir) {
			t.write(name, text)
		}
		text := t.read("run/model.safetensors")
		size := binary.LittleEndian.Uint64(text)
		var header map[string]json.RawMessage
		t.must(json.Unmarshal(text[8:8+size], &header))
		body := text[8+size:]
		switch t.IntN(6) {
		case 0: // the length of the header
			text = binary.LittleEndian.AppendUint64(nil, pick(t, 0, 1, size-1, size+1, 1<<31, 1<<40, 1<<63, 1<<64-1))
			text = append(text, body...)
		case 1: // a tensor's shape, type or place
			name := pick(t, slices.Sorted(maps.Keys(header))...)
			header[name] = json.RawMessage(fmt.Sprintf(`{"dtype":%q,"shape":[%s],"data_offsets":[%s,%s]}`, pick(t, "F32", "F64", "BF16", "x"), pick(t, "1", "-1", "4294967296,4294967296", "1000000000", "0", strings.TrimSuffix(strings.Repeat("1,", 100_000), ",")),
				pick(t, "0", "-1", "4"), pick(t, "4", "0", "9223372036854775807", "1e3")))
			text = packHeader(t.mustJSON(header), body)
		case 2: // the header is nested or long
			text = packHeader([]byte(pick(t, t.nested("[", "]", 1<<t.IntN(20)), `{"__metadata__":`+t.nested(`{"a":`, "}", 1<<t.IntN(18))+"}", strings.Repeat(" ", 1<<t.IntN(22)))), body)
		default: // settings that pass the check of damage, as a stranger can write them
			t.hostileSettings()
			text = nil
		}
		if text != nil {
			t.write("run/model.safetensors", text)
		}
		verb := pick(t, []string{"evaluate", "run"}, []string{"predict", "run", "data"}, []string{"embed", "run", "data"})
		t.run(call{args: append(verb, "--quiet"), codes: []int{exitOK, exitFailed, exitUsage}})
	},
}

func (t *trial) mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	t.must(err)
	return text
}

func packHeader(header, body []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), body...)
}

// hostileSettings gives weights another JSON of settings. Without a digest
// they are not found to be damaged.
func (t *trial) hostileSettings() {
	path := t.path("run", "model.safetensors")
	f, err := safetensors.ReadFile(path)
	t.must(err)
	var settings map[string]any
	t.must(json.Unmarshal([]byte(f.Metadata["ehgnn.settings"]), &settings))
	for range 1 + t.IntN(3) {
		t.spoilValue(settings)
	}
	delete(f.Metadata, "ehgnn.digest")
	f.Metadata["ehgnn.settings"] = string(t.mustJSON(settings))
	t.must(safetensors.WriteFile(path, f))
	if t.IntN(2) == 0 {
		t.must(removeFile(t.path("run", "config.yaml")))
	} else {
		t.write("run/config.yaml", t.mustJSON(settings)) // JSON is YAML
	}
}

// spoilValue changes a value somewhere in a tree of JSON.
func (t *trial) spoilValue(tree map[string]any) {
	key := pick(t, slices.Sorted(maps.Keys(tree))...)
	if inner, ok := tree[key].(map[string]any); ok && len(inner) > 0 && t.IntN(8) > 0 {
		t.spoilValue(inner)
		return
	}
	if list, ok := tree[key].([]any); ok && len(list) > 0 && t.IntN(3) > 0 {
		if inner, ok := list[t.IntN(len(list))].(map[string]any); ok && len(inner) > 0 {
			t.spoilValue(inner)
			return
		}
	}
	tree[key] = pick[any](t, nil, -1, 0, 1, 7, 1000, 1_000_000, 1_000_000_000, int64(1)<<31, int64(-1)<<40, 1e300, 0.5, -0.5, "", "x", "gcn", "hyperdrop", "\x1b[2J", "../../..", "/dev/zero", []any{}, []any{1, 2, 3}, map[string]any{}, true)
}
