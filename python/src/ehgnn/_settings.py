# Written by go test ./python/keywords -update from the program's table of settings.
"""The settings of the program as keywords of constructors."""

from __future__ import annotations

from collections.abc import Sequence

from ehgnn._base import Base


class EdgeSettings(Base):
    """Settings of estimators of edges.

    None means the default of the program.

    Parameters
    ----------
    model : str, optional
        Name of a model (`ehgnn models` lists them). Default: the model of the task.
    seed : int, default 42
        Seed of all random numbers.
    threads : int, optional
        Threads to use; results do not depend on it. Default: all cores.
    max_memory : str, optional
        Limit of the memory for reading the data, and of the memory that the model needs for a batch, such as "4GiB".
    verbose : bool, optional
        Show a progress bar. Default: in notebooks and in interactive sessions.
    node_id : str, optional
        Column with the ids of the nodes (default: id, node or node_id, else the only column with all ids of
        the edges).
    source : str or int, optional
        Column of the source of edges (default: source, src, from, sender, ...); a number is the position of
        a column; - for none: each row is then an edge of its own between two nodes of its own.
    target : str or int, optional
        Column of the target of edges (default: target, dst, to, receiver, ...); a number is the position of
        a column; - for none: each row is then an edge of its own between two nodes of its own.
    label : str, optional
        Column to predict, of the edges or, with --task node-classification, of the nodes, or several,
        separated by commas, with a run for each (default: label, class, y, or target if it is not an end);
        molecules: one or more columns, separated by commas, with a value or a list in each row (default: all
        suitable columns).
    time : str, optional
        Column of times, - for none (default: time, timestamp, datetime or date).
    group : str, optional
        Column of groups, for split group, - for none (default: group; none for molecules).
    part : str, optional
        Column with the part of each labelled edge, node or molecule: train, valid (validation, val, dev) and
        test, or 0, 1 and 2; implies split column.
    graph : str, optional
        Column of the graph within which ids are unique, - for none (default: graph or graph_id).
    ignore : str or sequence of str, optional
        Columns not to read, separated by commas or repeated.
    categories : str or sequence of str, optional
        Columns whose numbers are names, such as codes, or whose texts a|b are single categories, separated
        by commas or repeated.
    feature : str or sequence of str, optional
        Columns that are features although nearly all of their values are different, like ids, separated by
        commas or repeated.
    missing : str or sequence of str, optional
        Words for missing values, in addition to NA, null, None and the like; a minus sign (-NA) makes such a
        word a value; separated by commas or repeated.
    decimal : str, optional
        Decimal mark of numbers in text, point or comma (default: found from the values of each column).
    time_format : str, optional
        Notation of times in text: day-first, month-first, unix, unix-ms, unix-us, unix-ns, excel or
        directives of strptime, such as `%d.%m.%Y` (default: found from the values).
    split : str, optional
        Fold (a fixed fold of the data), folds (folds made here), random (equal molecules in one part), given
        (the split of the data); for molecules also scaffold, group or column; for tables random, folds, time
        (the latest edges are tested), group or column (see part) (default: the split of the data, else
        random).
    folds : int, optional
        Number of folds to make, stratified by class, with --seed; with split group, of whole groups (default
        10, for split folds).
    fold : int, optional
        Test fold, from 1; the fold before it validates (default 1).
    fractions : sequence of float, optional
        Shares of the training, validation and test parts in a split that is random or by scaffold, time or
        group, such as `0.8,0.1,0.1` (the default; 0.6,0.2,0.2 for tables).
    pairs : bool, optional
        Keep all edges between two nodes in one part, for split random, group and folds.
    label_context : str, optional
        Edge models read the labels of training edges around an edge, never its own: auto (if there are at
        least 5000 training edges, validation edges touch labelled training edges, and the tables have fewer
        than 4 feature columns), on or off (default auto).
    transductive : bool, optional
        Training sees the features (never the labels) of all edges, not only of training edges.
    structure : str or sequence of str, optional
        Columns that describe the graph around each edge: auto (all if the tables have no feature columns, or
        at least 1000 training edges and fewer than 4 feature columns, or if the graph has many small
        components), none, all, or some of degree, reciprocity, neighbours, walk, core, pair, common (default
        auto).
    time_features : str, optional
        Time columns of each edge: the time since the previous and until the next edge at its ends (after a
        split by time only since the previous), and hour and weekday if times are dates or seconds since
        1970: auto (on for model auto, where validation decides, off for others), on or off (default auto).
    unweighted : bool, optional
        Edge-classification: all edges have the same weight (default true; false weighs each edge by the
        inverse frequency of its class).
    label_smoothing : float, optional
        Share of a label that the training loss spreads over all classes (default 0).
    calibrate : bool, optional
        Fit a temperature to class probabilities on the validation part after training; predicted classes do
        not change (default true for edges, else false).
    coverage : float, optional
        Predict sets of classes, or intervals of numbers, that contain the true one this often, such as 0.9:
        split conformal prediction with the validation part (default 0, none).
    threshold : str, optional
        Two classes: probability from which the rarer class is predicted, chosen on the validation part: a
        number from 0 to 1, macro_f1, f1, recall=0.9, precision=0.8, budget=50 (below 1 a share) or
        cost=FP:FN (default macro_f1 for edges, else the more probable class).
    budget : sequence of float, optional
        Edges of two classes: score the recall of the rarer class among this many edges with its highest
        probabilities, given as shares (below 1) or numbers, such as `0.01,0.05` (the default).
    quality : str, optional
        Auto: amount of work, fast, good or best; each takes about 3 times as long as the one before (default
        good).
    hidden : int, optional
        Width of hidden layers.
    edge_hidden : int, optional
        Width of edge layers (default: hidden).
    widen_input : int, optional
        Ehgnn-roles: width of the layer that reads the features, as a multiple of hidden (default 2).
    layers : int, optional
        Layers of message passing.
    dropout : float, optional
        Dropout rate.
    ratio : float, optional
        Share of edges that each HyperDrop keeps, or that HyperCluster pools to (of the directed count, as in
        the paper).
    conv : str, optional
        Convolution of nodes, if the model leaves the choice: gcn, hyper, hyper-attention, sage, sage-max,
        gat, gatv2, gin, gine, pna, egcn, egcn-linear, mpnn, mpnn-sum, rgcn, egnn, pointwise.
    edge_conv : str, optional
        Convolution of edges on the dual (hyper, sage, gin, ...), or on the line graph, such as line:gcn.
    heads : int, optional
        Attention heads.
    layer_norm : bool, optional
        Layer norm in attention blocks.
    edge_init : str, optional
        Input of edge layers: given (the features in DATA, or 1) or endpoints (also the ends of the edges
        after the first node layer) (default given).
    virtual_node : bool, optional
        HyperDrop: add a node that is joined to all others of its graph between the node layers.
    init_gain : float, optional
        Deep networks: factor of the node layers' initial weights; 1.4142 compensates for ReLU (He) (default
        1).
    encode : bool, optional
        First embed node and edge features by a learned vector for each category, summed (atom and bond
        encoders).
    members : int, optional
        Models trained together with different initial weights, whose predictions are averaged (default 1).
    metric : str, optional
        Edge-regression: metric of selection, and loss of training: mae, the mean absolute error, or rmse,
        the root mean squared error (default mae).
    epochs : int, optional
        Passes over the training data, at most.
    patience : int, optional
        Epochs without a better validation score before stopping; 0 for none.
    lr : float, optional
        Learning rate.
    average_weights : float, optional
        Decay of an exponential moving average of the weights, which is validated and saved in place of the
        weights, such as 0.999; 0 for none.
    optimizer : str, optional
        Adam, adamw (with decoupled weight decay), sgd or rmsprop.
    weight_decay : float, optional
        L2 penalty; for adamw the decoupled decay.
    constant_lr : bool, optional
        No warm-up and no cosine schedule.
    """

    _flags = {
        "node_id": "--node-id",
        "source": "--source",
        "target": "--target",
        "label": "--label",
        "time": "--time",
        "group": "--group",
        "part": "--part",
        "graph": "--graph",
        "ignore": "--ignore",
        "categories": "--categories",
        "feature": "--feature",
        "missing": "--missing",
        "decimal": "--decimal",
        "time_format": "--time-format",
        "split": "--split",
        "folds": "--folds",
        "fold": "--fold",
        "fractions": "--fractions",
        "pairs": "--pairs",
        "label_context": "--label-context",
        "transductive": "--transductive",
        "structure": "--structure",
        "time_features": "--time-features",
        "unweighted": "--unweighted",
        "label_smoothing": "--label-smoothing",
        "calibrate": "--calibrate",
        "coverage": "--coverage",
        "threshold": "--threshold",
        "budget": "--budget",
        "quality": "--quality",
        "hidden": "--hidden",
        "edge_hidden": "--edge-hidden",
        "widen_input": "--widen-input",
        "layers": "--layers",
        "dropout": "--dropout",
        "ratio": "--ratio",
        "conv": "--conv",
        "edge_conv": "--edge-conv",
        "heads": "--heads",
        "layer_norm": "--layer-norm",
        "edge_init": "--edge-init",
        "virtual_node": "--virtual-node",
        "init_gain": "--init-gain",
        "encode": "--encode",
        "members": "--members",
        "metric": "--metric",
        "epochs": "--epochs",
        "patience": "--patience",
        "lr": "--lr",
        "average_weights": "--average-weights",
        "optimizer": "--optimizer",
        "weight_decay": "--weight-decay",
        "constant_lr": "--constant-lr",
    }

    def __init__(
        self,
        *,
        model: str | None = None,
        seed: int = 42,
        threads: int | None = None,
        max_memory: str | None = None,
        verbose: bool | None = None,
        node_id: str | None = None,
        source: str | int | None = None,
        target: str | int | None = None,
        label: str | None = None,
        time: str | None = None,
        group: str | None = None,
        part: str | None = None,
        graph: str | None = None,
        ignore: str | Sequence[str] | None = None,
        categories: str | Sequence[str] | None = None,
        feature: str | Sequence[str] | None = None,
        missing: str | Sequence[str] | None = None,
        decimal: str | None = None,
        time_format: str | None = None,
        split: str | None = None,
        folds: int | None = None,
        fold: int | None = None,
        fractions: Sequence[float] | None = None,
        pairs: bool | None = None,
        label_context: str | None = None,
        transductive: bool | None = None,
        structure: str | Sequence[str] | None = None,
        time_features: str | None = None,
        unweighted: bool | None = None,
        label_smoothing: float | None = None,
        calibrate: bool | None = None,
        coverage: float | None = None,
        threshold: str | None = None,
        budget: Sequence[float] | None = None,
        quality: str | None = None,
        hidden: int | None = None,
        edge_hidden: int | None = None,
        widen_input: int | None = None,
        layers: int | None = None,
        dropout: float | None = None,
        ratio: float | None = None,
        conv: str | None = None,
        edge_conv: str | None = None,
        heads: int | None = None,
        layer_norm: bool | None = None,
        edge_init: str | None = None,
        virtual_node: bool | None = None,
        init_gain: float | None = None,
        encode: bool | None = None,
        members: int | None = None,
        metric: str | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        lr: float | None = None,
        average_weights: float | None = None,
        optimizer: str | None = None,
        weight_decay: float | None = None,
        constant_lr: bool | None = None,
    ) -> None:
        self.model = model
        self.seed = seed
        self.threads = threads
        self.max_memory = max_memory
        self.verbose = verbose
        self.node_id = node_id
        self.source = source
        self.target = target
        self.label = label
        self.time = time
        self.group = group
        self.part = part
        self.graph = graph
        self.ignore = ignore
        self.categories = categories
        self.feature = feature
        self.missing = missing
        self.decimal = decimal
        self.time_format = time_format
        self.split = split
        self.folds = folds
        self.fold = fold
        self.fractions = fractions
        self.pairs = pairs
        self.label_context = label_context
        self.transductive = transductive
        self.structure = structure
        self.time_features = time_features
        self.unweighted = unweighted
        self.label_smoothing = label_smoothing
        self.calibrate = calibrate
        self.coverage = coverage
        self.threshold = threshold
        self.budget = budget
        self.quality = quality
        self.hidden = hidden
        self.edge_hidden = edge_hidden
        self.widen_input = widen_input
        self.layers = layers
        self.dropout = dropout
        self.ratio = ratio
        self.conv = conv
        self.edge_conv = edge_conv
        self.heads = heads
        self.layer_norm = layer_norm
        self.edge_init = edge_init
        self.virtual_node = virtual_node
        self.init_gain = init_gain
        self.encode = encode
        self.members = members
        self.metric = metric
        self.epochs = epochs
        self.patience = patience
        self.lr = lr
        self.average_weights = average_weights
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.constant_lr = constant_lr


class GraphSettings(Base):
    """Settings of estimators of graphs.

    None means the default of the program.

    Parameters
    ----------
    model : str, optional
        Name of a model (`ehgnn models` lists them). Default: the model of the task.
    seed : int, default 42
        Seed of all random numbers.
    threads : int, optional
        Threads to use; results do not depend on it. Default: all cores.
    max_memory : str, optional
        Limit of the memory for reading the data, and of the memory that the model needs for a batch, such as "4GiB".
    verbose : bool, optional
        Show a progress bar. Default: in notebooks and in interactive sessions.
    edges : str, optional
        Auto (one edge for both directions if the data, and labels of bonds, are symmetric), undirected,
        directed (each direction is an edge, as in the authors' code), or for tables bipartite (ids of
        sources and of targets identify different things: user 5 is not item 5).
    label : str, optional
        Column to predict, of the edges or, with --task node-classification, of the nodes, or several,
        separated by commas, with a run for each (default: label, class, y, or target if it is not an end);
        molecules: one or more columns, separated by commas, with a value or a list in each row (default: all
        suitable columns).
    group : str, optional
        Column of groups, for split group, - for none (default: group; none for molecules).
    part : str, optional
        Column with the part of each labelled edge, node or molecule: train, valid (validation, val, dev) and
        test, or 0, 1 and 2; implies split column.
    ignore : str or sequence of str, optional
        Columns not to read, separated by commas or repeated.
    categories : str or sequence of str, optional
        Columns whose numbers are names, such as codes, or whose texts a|b are single categories, separated
        by commas or repeated.
    feature : str or sequence of str, optional
        Columns that are features although nearly all of their values are different, like ids, separated by
        commas or repeated.
    missing : str or sequence of str, optional
        Words for missing values, in addition to NA, null, None and the like; a minus sign (-NA) makes such a
        word a value; separated by commas or repeated.
    decimal : str, optional
        Decimal mark of numbers in text, point or comma (default: found from the values of each column).
    split : str, optional
        Fold (a fixed fold of the data), folds (folds made here), random (equal molecules in one part), given
        (the split of the data); for molecules also scaffold, group or column; for tables random, folds, time
        (the latest edges are tested), group or column (see part) (default: the split of the data, else
        random).
    folds : int, optional
        Number of folds to make, stratified by class, with --seed; with split group, of whole groups (default
        10, for split folds).
    fold : int, optional
        Test fold, from 1; the fold before it validates (default 1).
    fractions : sequence of float, optional
        Shares of the training, validation and test parts in a split that is random or by scaffold, time or
        group, such as `0.8,0.1,0.1` (the default; 0.6,0.2,0.2 for tables).
    standardise : bool, optional
        Subtract the mean of numeric features and divide by their deviation over the training part (default
        true; false for the paper's sets in its experiments).
    label_smoothing : float, optional
        Share of a label that the training loss spreads over all classes (default 0).
    calibrate : bool, optional
        Fit a temperature to class probabilities on the validation part after training; predicted classes do
        not change (default true for edges, else false).
    learners : bool, optional
        Whole graphs: also train a linear model and trees on counts of substructures, and average them with
        the network if this lowers the validation loss (default true without --model).
    coverage : float, optional
        Predict sets of classes, or intervals of numbers, that contain the true one this often, such as 0.9:
        split conformal prediction with the validation part (default 0, none).
    threshold : str, optional
        Two classes: probability from which the rarer class is predicted, chosen on the validation part: a
        number from 0 to 1, macro_f1, f1, recall=0.9, precision=0.8, budget=50 (below 1 a share) or
        cost=FP:FN (default macro_f1 for edges, else the more probable class).
    quality : str, optional
        Auto: amount of work, fast, good or best; each takes about 3 times as long as the one before (default
        good).
    hidden : int, optional
        Width of hidden layers.
    edge_hidden : int, optional
        Width of edge layers (default: hidden).
    widen_input : int, optional
        Ehgnn-roles: width of the layer that reads the features, as a multiple of hidden (default 2).
    layers : int, optional
        Layers of message passing.
    dropout : float, optional
        Dropout rate.
    ratio : float, optional
        Share of edges that each HyperDrop keeps, or that HyperCluster pools to (of the directed count, as in
        the paper).
    clusters : int, optional
        Edge clusters of HyperCluster (default: from ratio).
    conv : str, optional
        Convolution of nodes, if the model leaves the choice: gcn, hyper, hyper-attention, sage, sage-max,
        gat, gatv2, gin, gine, pna, egcn, egcn-linear, mpnn, mpnn-sum, rgcn, egnn, pointwise.
    edge_conv : str, optional
        Convolution of edges on the dual (hyper, sage, gin, ...), or on the line graph, such as line:gcn.
    heads : int, optional
        Attention heads.
    layer_norm : bool, optional
        Layer norm in attention blocks.
    edge_init : str, optional
        Input of edge layers: given (the features in DATA, or 1) or endpoints (also the ends of the edges
        after the first node layer) (default given).
    score_function : str, optional
        Weights of the edges that HyperDrop keeps: tanh of the score (0 if it is negative, as published) or
        sigmoid, which is positive and learns from every edge (default tanh).
    virtual_node : bool, optional
        HyperDrop: add a node that is joined to all others of its graph between the node layers.
    readout : str, optional
        How the nodes of a graph become one vector, if the model leaves the choice: sum, mean, max,
        max-mean-sum, set2set, attention, deepset.
    init_gain : float, optional
        Deep networks: factor of the node layers' initial weights; 1.4142 compensates for ReLU (He) (default
        1).
    encode : bool, optional
        First embed node and edge features by a learned vector for each category, summed (atom and bond
        encoders).
    members : int, optional
        Models trained together with different initial weights, whose predictions are averaged (default 1).
    epochs : int, optional
        Passes over the training data, at most.
    batch_size : int, optional
        Graphs in a training step.
    patience : int, optional
        Epochs without a better validation score before stopping; 0 for none.
    lr : float, optional
        Learning rate.
    average_weights : float, optional
        Decay of an exponential moving average of the weights, which is validated and saved in place of the
        weights, such as 0.999; 0 for none.
    optimizer : str, optional
        Adam, adamw (with decoupled weight decay), sgd or rmsprop.
    weight_decay : float, optional
        L2 penalty; for adamw the decoupled decay.
    constant_lr : bool, optional
        No warm-up and no cosine schedule.
    """

    _flags = {
        "edges": "--edges",
        "label": "--label",
        "group": "--group",
        "part": "--part",
        "ignore": "--ignore",
        "categories": "--categories",
        "feature": "--feature",
        "missing": "--missing",
        "decimal": "--decimal",
        "split": "--split",
        "folds": "--folds",
        "fold": "--fold",
        "fractions": "--fractions",
        "standardise": "--standardise",
        "label_smoothing": "--label-smoothing",
        "calibrate": "--calibrate",
        "learners": "--learners",
        "coverage": "--coverage",
        "threshold": "--threshold",
        "quality": "--quality",
        "hidden": "--hidden",
        "edge_hidden": "--edge-hidden",
        "widen_input": "--widen-input",
        "layers": "--layers",
        "dropout": "--dropout",
        "ratio": "--ratio",
        "clusters": "--clusters",
        "conv": "--conv",
        "edge_conv": "--edge-conv",
        "heads": "--heads",
        "layer_norm": "--layer-norm",
        "edge_init": "--edge-init",
        "score_function": "--score",
        "virtual_node": "--virtual-node",
        "readout": "--readout",
        "init_gain": "--init-gain",
        "encode": "--encode",
        "members": "--members",
        "epochs": "--epochs",
        "batch_size": "--batch-size",
        "patience": "--patience",
        "lr": "--lr",
        "average_weights": "--average-weights",
        "optimizer": "--optimizer",
        "weight_decay": "--weight-decay",
        "constant_lr": "--constant-lr",
    }

    def __init__(
        self,
        *,
        model: str | None = None,
        seed: int = 42,
        threads: int | None = None,
        max_memory: str | None = None,
        verbose: bool | None = None,
        edges: str | None = None,
        label: str | None = None,
        group: str | None = None,
        part: str | None = None,
        ignore: str | Sequence[str] | None = None,
        categories: str | Sequence[str] | None = None,
        feature: str | Sequence[str] | None = None,
        missing: str | Sequence[str] | None = None,
        decimal: str | None = None,
        split: str | None = None,
        folds: int | None = None,
        fold: int | None = None,
        fractions: Sequence[float] | None = None,
        standardise: bool | None = None,
        label_smoothing: float | None = None,
        calibrate: bool | None = None,
        learners: bool | None = None,
        coverage: float | None = None,
        threshold: str | None = None,
        quality: str | None = None,
        hidden: int | None = None,
        edge_hidden: int | None = None,
        widen_input: int | None = None,
        layers: int | None = None,
        dropout: float | None = None,
        ratio: float | None = None,
        clusters: int | None = None,
        conv: str | None = None,
        edge_conv: str | None = None,
        heads: int | None = None,
        layer_norm: bool | None = None,
        edge_init: str | None = None,
        score_function: str | None = None,
        virtual_node: bool | None = None,
        readout: str | None = None,
        init_gain: float | None = None,
        encode: bool | None = None,
        members: int | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        patience: int | None = None,
        lr: float | None = None,
        average_weights: float | None = None,
        optimizer: str | None = None,
        weight_decay: float | None = None,
        constant_lr: bool | None = None,
    ) -> None:
        self.model = model
        self.seed = seed
        self.threads = threads
        self.max_memory = max_memory
        self.verbose = verbose
        self.edges = edges
        self.label = label
        self.group = group
        self.part = part
        self.ignore = ignore
        self.categories = categories
        self.feature = feature
        self.missing = missing
        self.decimal = decimal
        self.split = split
        self.folds = folds
        self.fold = fold
        self.fractions = fractions
        self.standardise = standardise
        self.label_smoothing = label_smoothing
        self.calibrate = calibrate
        self.learners = learners
        self.coverage = coverage
        self.threshold = threshold
        self.quality = quality
        self.hidden = hidden
        self.edge_hidden = edge_hidden
        self.widen_input = widen_input
        self.layers = layers
        self.dropout = dropout
        self.ratio = ratio
        self.clusters = clusters
        self.conv = conv
        self.edge_conv = edge_conv
        self.heads = heads
        self.layer_norm = layer_norm
        self.edge_init = edge_init
        self.score_function = score_function
        self.virtual_node = virtual_node
        self.readout = readout
        self.init_gain = init_gain
        self.encode = encode
        self.members = members
        self.epochs = epochs
        self.batch_size = batch_size
        self.patience = patience
        self.lr = lr
        self.average_weights = average_weights
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.constant_lr = constant_lr


class LinkSettings(Base):
    """Settings of estimators of links.

    None means the default of the program.

    Parameters
    ----------
    model : str, optional
        Name of a model (`ehgnn models` lists them). Default: the model of the task.
    seed : int, default 42
        Seed of all random numbers.
    threads : int, optional
        Threads to use; results do not depend on it. Default: all cores.
    max_memory : str, optional
        Limit of the memory for reading the data, and of the memory that the model needs for a batch, such as "4GiB".
    verbose : bool, optional
        Show a progress bar. Default: in notebooks and in interactive sessions.
    format : str, optional
        Format of DATA: tu, dgcnn, ogb, planetoid, tables, graphml, gexf, mtx, edge-list, triples, smiles,
        node-link (default: recognised).
    edges : str, optional
        Auto (one edge for both directions if the data, and labels of bonds, are symmetric), undirected,
        directed (each direction is an edge, as in the authors' code), or for tables bipartite (ids of
        sources and of targets identify different things: user 5 is not item 5).
    node_id : str, optional
        Column with the ids of the nodes (default: id, node or node_id, else the only column with all ids of
        the edges).
    source : str or int, optional
        Column of the source of edges (default: source, src, from, sender, ...); a number is the position of
        a column; - for none: each row is then an edge of its own between two nodes of its own.
    target : str or int, optional
        Column of the target of edges (default: target, dst, to, receiver, ...); a number is the position of
        a column; - for none: each row is then an edge of its own between two nodes of its own.
    label : str, optional
        Column to predict, of the edges or, with --task node-classification, of the nodes, or several,
        separated by commas, with a run for each (default: label, class, y, or target if it is not an end);
        molecules: one or more columns, separated by commas, with a value or a list in each row (default: all
        suitable columns).
    time : str, optional
        Column of times, - for none (default: time, timestamp, datetime or date).
    part : str, optional
        Column with the part of each labelled edge, node or molecule: train, valid (validation, val, dev) and
        test, or 0, 1 and 2; implies split column.
    graph : str, optional
        Column of the graph within which ids are unique, - for none (default: graph or graph_id).
    ignore : str or sequence of str, optional
        Columns not to read, separated by commas or repeated.
    categories : str or sequence of str, optional
        Columns whose numbers are names, such as codes, or whose texts a|b are single categories, separated
        by commas or repeated.
    feature : str or sequence of str, optional
        Columns that are features although nearly all of their values are different, like ids, separated by
        commas or repeated.
    missing : str or sequence of str, optional
        Words for missing values, in addition to NA, null, None and the like; a minus sign (-NA) makes such a
        word a value; separated by commas or repeated.
    decimal : str, optional
        Decimal mark of numbers in text, point or comma (default: found from the values of each column).
    time_format : str, optional
        Notation of times in text: day-first, month-first, unix, unix-ms, unix-us, unix-ns, excel or
        directives of strptime, such as `%d.%m.%Y` (default: found from the values).
    split : str, optional
        Fold (a fixed fold of the data), folds (folds made here), random (equal molecules in one part), given
        (the split of the data); for molecules also scaffold, group or column; for tables random, folds, time
        (the latest edges are tested), group or column (see part) (default: the split of the data, else
        random).
    fractions : sequence of float, optional
        Shares of the training, validation and test parts in a split that is random or by scaffold, time or
        group, such as `0.8,0.1,0.1` (the default; 0.6,0.2,0.2 for tables).
    structure : str or sequence of str, optional
        Columns that describe the graph around each edge: auto (all if the tables have no feature columns, or
        at least 1000 training edges and fewer than 4 feature columns, or if the graph has many small
        components), none, all, or some of degree, reciprocity, neighbours, walk, core, pair, common (default
        auto).
    hidden : int, optional
        Width of hidden layers.
    layers : int, optional
        Layers of message passing.
    dropout : float, optional
        Dropout rate.
    epochs : int, optional
        Passes over the training data, at most.
    batch_size : int, optional
        Graphs in a training step.
    lr : float, optional
        Learning rate.
    positive : str, optional
        Rows that are positives, as `rating>=4` (default: all).
    bipartite : bool, optional
        Sources and targets are different nodes; an id on both sides is an error (default: where no id is on
        both).
    observed : float, optional
        With split nodes: share of the pairs of unseen nodes that are shown when the others are scored; 0 for
        cold nodes.
    test_sees : str, optional
        Valid has the validation pairs in the graph when the test part is scored.
    select : str, optional
        Negatives by which epochs and models are chosen on the validation part: all, hard, uniform or, of
        bipartite graphs, lists (default all, or lists).
    baselines : str, optional
        `none` leaves the baselines out of the tables.
    negatives : str or sequence of str, optional
        Negatives of the test part: uniform, degree, hard, all, lists or, with split time, next (default:
        those that suit the graph).
    negatives_from : str, optional
        Table with a row for each positive of the test part and candidate: source, target, and the node in
        place of the target, or both nodes of the candidate; one more form of negatives, `file`.
    """

    _flags = {
        "format": "--format",
        "edges": "--edges",
        "node_id": "--node-id",
        "source": "--source",
        "target": "--target",
        "label": "--label",
        "time": "--time",
        "part": "--part",
        "graph": "--graph",
        "ignore": "--ignore",
        "categories": "--categories",
        "feature": "--feature",
        "missing": "--missing",
        "decimal": "--decimal",
        "time_format": "--time-format",
        "split": "--split",
        "fractions": "--fractions",
        "structure": "--structure",
        "hidden": "--hidden",
        "layers": "--layers",
        "dropout": "--dropout",
        "epochs": "--epochs",
        "batch_size": "--batch-size",
        "lr": "--lr",
        "positive": "--positive",
        "bipartite": "--bipartite",
        "observed": "--observed",
        "test_sees": "--test-sees",
        "select": "--select",
        "baselines": "--baselines",
        "negatives": "--negatives",
        "negatives_from": "--negatives-from",
    }

    def __init__(
        self,
        *,
        model: str | None = None,
        seed: int = 42,
        threads: int | None = None,
        max_memory: str | None = None,
        verbose: bool | None = None,
        format: str | None = None,
        edges: str | None = None,
        node_id: str | None = None,
        source: str | int | None = None,
        target: str | int | None = None,
        label: str | None = None,
        time: str | None = None,
        part: str | None = None,
        graph: str | None = None,
        ignore: str | Sequence[str] | None = None,
        categories: str | Sequence[str] | None = None,
        feature: str | Sequence[str] | None = None,
        missing: str | Sequence[str] | None = None,
        decimal: str | None = None,
        time_format: str | None = None,
        split: str | None = None,
        fractions: Sequence[float] | None = None,
        structure: str | Sequence[str] | None = None,
        hidden: int | None = None,
        layers: int | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        lr: float | None = None,
        positive: str | None = None,
        bipartite: bool | None = None,
        observed: float | None = None,
        test_sees: str | None = None,
        select: str | None = None,
        baselines: str | None = None,
        negatives: str | Sequence[str] | None = None,
        negatives_from: str | None = None,
    ) -> None:
        self.model = model
        self.seed = seed
        self.threads = threads
        self.max_memory = max_memory
        self.verbose = verbose
        self.format = format
        self.edges = edges
        self.node_id = node_id
        self.source = source
        self.target = target
        self.label = label
        self.time = time
        self.part = part
        self.graph = graph
        self.ignore = ignore
        self.categories = categories
        self.feature = feature
        self.missing = missing
        self.decimal = decimal
        self.time_format = time_format
        self.split = split
        self.fractions = fractions
        self.structure = structure
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.epochs = epochs
        self.batch_size = batch_size
        self.lr = lr
        self.positive = positive
        self.bipartite = bipartite
        self.observed = observed
        self.test_sees = test_sees
        self.select = select
        self.baselines = baselines
        self.negatives = negatives
        self.negatives_from = negatives_from
