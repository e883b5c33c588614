package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// bursts is a table of edges. The label says whether an edge is in a burst, which means close in
// time to the previous edge of its source.
func bursts(t *testing.T, edges int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 9))
	var text strings.Builder
	text.WriteString("source,target,time,w,label\n")
	at, last := 0, map[int]int{}
	for range edges {
		at += 1 + r.IntN(50)
		u := r.IntN(30)
		label := "calm"
		if now := at; last[u] > 0 && now-last[u] < 200 {
			label = "burst"
		}
		last[u] = at
		fmt.Fprintf(&text, "%d,%d,%d,%d,%s\n", u, 30+r.IntN(200), at, r.IntN(9), label)
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// Columns of time recognise bursts, in training and in the loaded run.
func TestTimeFeatures(t *testing.T) {
	path := bursts(t, 900)
	for _, with := range []bool{true, false} {
		given := settings.Values{"split": settings.SplitTime, "epochs": 40, "hidden": 16, "structure": []string{settings.StructureNone}, "label-context": settings.ContextOff, "time-features": settings.ContextOff}
		if with {
			given["time-features"] = settings.ContextOn
		}
		s, dir, auc := ofColumns(t, path, given)
		if with != (auc > 0.95) || with == (auc < 0.65) {
			t.Errorf("time features %v: ROC-AUC %.3f", with, auc)
		}
		if !with {
			continue
		}
		if !s.Settings.Data.Tables.Encoder.Times.Past {
			t.Error("columns look ahead after a split by time")
		}
		// The latest edges, with the others as context, have the predictions of the whole table.
		lines := slices.Collect(strings.Lines(testsets.Contents(t, path, "edges.csv")))
		fresh := testsets.EdgeFolder(t, "edges.csv", lines[0]+strings.Join(lines[800:], ""))
		past := testsets.EdgeFolder(t, "edges.csv", strings.Join(lines[:800], ""))
		open := func(o source.LoadOptions) [][]string {
			s, err := Load(t.Context(), dir, o)
			if err != nil {
				t.Fatal(err)
			}
			return columnsOf(t, s, source.PartAll)
		}
		beside, whole := open(source.LoadOptions{Data: fresh, Context: past}), open(source.LoadOptions{Data: path})[799:]
		for i := range beside {
			if a, b := beside[i], whole[i]; a[len(a)-1] != b[len(b)-1] {
				t.Fatalf("row %d beside a context is %q, in the whole %q", i, a, b)
			}
		}
		if _, err := Load(t.Context(), dir, source.LoadOptions{Data: testsets.EdgeFolder(t, "edges.csv", "source,target,w\n1,2,3\n")}); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), "has no column of times, which training had") {
			t.Errorf("error %v without times", err)
		}
	}
}

// Columns of time are added on request, and they look back only if needed.
func TestTimeFeaturesSetting(t *testing.T) {
	path, parted := bursts(t, 200), testsets.EdgeFolder(t, "edges.csv", "source,target,time,part,label\n"+
		"a,b,1,train,x\nb,c,2,train,y\na,c,3,train,x\nb,a,4,train,y\nc,a,5,valid,x\nb,c,6,test,y\n")
	for _, test := range []struct {
		path     string
		given    settings.Values
		on, past bool
	}{
		{path, nil, false, false},
		{path, settings.Values{"time-features": settings.ContextAuto}, false, false},
		{path, settings.Values{"time-features": settings.ContextOn}, true, false},
		{path, settings.Values{"time-features": settings.ContextOn, "split": settings.SplitTime}, true, true},
		{parted, settings.Values{"time-features": settings.ContextOn, "part": "part"}, true, true},
	} {
		s := mustOpen(t, Request{Path: test.path, Model: source.RolesModel, Given: test.given})
		e := s.Settings.Data.Tables.Encoder
		if on := e.Times != nil; on != test.on || on && e.Times.Past != test.past {
			t.Errorf("%v: columns %+v", test.given, e.Times)
		}
	}
	_, err := Open(t.Context(), Request{Path: trusts(t, 60), Given: settings.Values{"time-features": settings.ContextOn}})
	if testsets.Fails(t, err, "has no column of times; --time names one"); !settings.IsUsage(err) {
		t.Errorf("%v is not marked as the user's to mend", err)
	}
}
