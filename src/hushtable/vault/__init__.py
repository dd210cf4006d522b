"""The trusted code: the only folder that sees rows. A reader from outside can verify it in a day, in this order.

1. door/door.py (a few hundred lines). Nothing leaves but through `_step`: the price is known and affordable, the rows
   are read, the charge is written, and only then noise is drawn. See that every public method goes through it, or
   draws nothing, and that every price is that of the theorem its docstring cites. door/noise.py (short) makes the
   price of a measurement from the sensitivity of what is summed; door/reveal.py and door/sparse_vector.py, both
   short, hold the two prices that are made otherwise; door/kept.py (short) is what a door asks of ledger and journal.
2. door/samplers.py and door/bernoulli.py (a few hundred lines). Noise is drawn in whole numbers and fractions, so that
   its law is the stated one exactly; the proofs stand beside the code. door/rounded_gaussian.py (a few hundred lines)
   draws normals rounded to whole numbers: floats decide where a margin is proven, door/polar_point.py (short) settles
   the rest in whole numbers. door/joint_samplers.py (short) draws vectors whose law is the gauge of a body, by
   counting lattice points. door/randomness.py says where bytes come from.
3. statistics/base.py (short): what is summed over rows, and what `sensitivity` promises. Then one file a statistic,
   most of a hundred lines or fewer. Each must show two things: `accumulate` adds up over rows one by one, and no
   row changes the coordinates by more than `_sensitivity` says; its docstring is the proof. table_statistic.py has
   the argument of all contingency tables, sensitivity.py that of all interactions (the longest), rare_sensitivity.py
   that of rare values. Kernels make `accumulate` fast; tests compare each with slow sums, so they can be read last.
4. ledger/ (about as long as the door and its samplers together). chain.py first: `balances` is the only arithmetic,
   and shows that no line spends what is not there. ledger.py: a reservation is durable before rows are read, and a
   charge before noise is drawn. file.py, terms.py, mixed.py and durable.py: how lines get to the disk, and two
   currencies in one account; rebinding.py: the same table under another domain. account.py is what a door charges to;
   sealed_lines.py keeps a curator's state in the same way as the ledger its lines.
5. coding.py and sources/base.py (short), then the other sources: how a row is read depends on that row and the domain
   alone, and no row can make reading fail. Every price rests on this. number_texts.py reads columns of text that spell
   numbers all at once, by number_kernel.py where that is sure, and vertex_codes.py the two ends of an edge. Where
   people are told apart, person_rows.py (compiled: person_kernel.py) chooses which rows of each count, by that person's
   rows alone, and bounded_source.py reads these, the same ones in every pass; bounded_spark.py does so on a cluster,
   whose workers run sources/spark_task.py. held_rows.py, held_codes.py, distinct_rows.py, held_keys.py, key_counts.py
   and coded_blocks.py hold rows in memory, for questions that come one by one or for a second pass; what they hold is
   asked through the same door.

What is not here cannot spend: mechanisms, curators and models get a door, or released numbers, and never rows.
"""
