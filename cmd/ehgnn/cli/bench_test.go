package cli_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The document of bench has the fields that the documentation names, with their purpose. The test
// does not check times.
func TestBench(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	args := []string{"bench", "--kernel", "gather", "--kernel", "matmul NN 5000", "--budget", "1ms", "--threads", "2"}
	var doc map[string]any
	document(t, succeed(t, append(args, "--json")...), &doc)
	delete(doc, "foreign_cpu_share") // known only on some systems
	if have, want := slices.Sorted(maps.Keys(doc)), []string{"kernels", "limits", "machine", "threads"}; !slices.Equal(have, want) {
		t.Fatalf("bench --kernel has %q, want %q", have, want)
	}
	limits := doc["limits"].(map[string]any)
	if limits["fma_gflops"].(float64) <= 0 || len(limits["copy"].([]any)) < 4 {
		t.Errorf("limits %v", limits)
	}
	for _, c := range limits["copy"].([]any) {
		if have := slices.Sorted(maps.Keys(c.(map[string]any))); !slices.Equal(have, []string{"bytes", "gbytes_per_second"}) {
			t.Errorf("a copy has %q", have)
		}
	}
	var names []string
	for _, k := range doc["kernels"].([]any) {
		k := k.(map[string]any)
		names = append(names, k["name"].(string))
		want := []string{"bytes", "flops", "footprint", "limit", "limit_rate", "limit_seconds", "name", "seconds", "share"}
		if have := slices.Sorted(maps.Keys(k)); !slices.Equal(have, want) {
			t.Errorf("%v has %q, want %q", k["name"], have, want)
		}
		if limit := k["limit"]; limit != "copy" && limit != "fma" || k["share"].(float64) <= 0 {
			t.Errorf("kernel %v", k)
		}
	}
	// bench/peer/compare.py selects by these names.
	if want := []string{"matmul NN 5000x128x128", "gather 80000x128 from 20000", "gather 80000x128 from 20000, fresh result"}; !slices.Equal(names, want) {
		t.Errorf("kernels %q, want %q", names, want)
	}
	text := succeed(t, append(args, "--quiet")...)
	for _, want := range []string{"2 threads, kernels: ", "\nlimits\n", "multiply-adds in registers", "copy within 64 MiB", " GB/s\n", "\nkernels ", "matmul NN 5000x128x128 ", " %  "} {
		if !strings.Contains(text, want) {
			t.Errorf("bench prints\n%s\nwant it to hold %q", text, want)
		}
	}
	if strings.Contains(text, "epochs") {
		t.Errorf("bench --kernel prints epochs:\n%s", text)
	}
}

func TestBenchRefuses(t *testing.T) {
	refused(t, "no kernel of this name: [\"nonesuch\"]; known: matmul NN", "bench", "--kernel", "nonesuch")
	refused(t, "--model needs --dataset", "bench", "--model", "gcn")
	refused(t, "--epochs is 0, expected at least 1", "bench", "--epochs", "0")
}
